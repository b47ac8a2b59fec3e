# find_package(Waywarden) gives the targets Waywarden::waywarden (shared) and Waywarden::static.
get_filename_component(waywarden_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Waywarden::waywarden)
    add_library(Waywarden::waywarden SHARED IMPORTED)
    set_target_properties(Waywarden::waywarden PROPERTIES
        IMPORTED_LOCATION "${waywarden_prefix}/lib/libwaywarden.so.@VERSION@"
        IMPORTED_SONAME "libwaywarden.so.@MAJOR@"
        INTERFACE_INCLUDE_DIRECTORIES "${waywarden_prefix}/include")
    add_library(Waywarden::static STATIC IMPORTED)
    set_target_properties(Waywarden::static PROPERTIES
        IMPORTED_LOCATION "${waywarden_prefix}/lib/libwaywarden.a"
        INTERFACE_INCLUDE_DIRECTORIES "${waywarden_prefix}/include"
        INTERFACE_LINK_LIBRARIES "gcc_s;pthread;dl;m")
endif()
unset(waywarden_prefix)

/*
 * A bus simulation of Waywarden as a source of its unit, for importers that compile units: each
 * function of FMI 3.0 is passed on to the library that lies in the unit's resources.
 *
 * The importer's headers fmi3Functions.h say how the functions are called. With
 * FMI3_FUNCTION_PREFIX, units of several vehicles link into one program. It needs the kind of
 * computer that LIBRARY names, C99, and dlopen of POSIX (glibc 2.34; before it, -ldl as well).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fmi3Functions.h"

/* The library, in the folder of resources. */
#define LIBRARY "@LIBRARY@"
#define PATH_MAX_BYTES 4096

/* Name, parameters and arguments of the functions of a type: numbers, truth values, texts. */
#define VALUES(X, type) \
    X(Get##type, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3##type values[], size_t nValues), \
      (instance, valueReferences, nValueReferences, values, nValues)) \
    X(Set##type, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3##type values[], size_t nValues), \
      (instance, valueReferences, nValueReferences, values, nValues))

/* All functions that return a status and take an instance. */
#define EACH(X) \
    X(SetDebugLogging, \
      (fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories, \
       const fmi3String categories[]), \
      (instance, loggingOn, nCategories, categories)) \
    X(EnterInitializationMode, \
      (fmi3Instance instance, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, \
       fmi3Float64 startTime, fmi3Boolean stopTimeDefined, fmi3Float64 stopTime), \
      (instance, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime)) \
    X(ExitInitializationMode, (fmi3Instance instance), (instance)) \
    X(EnterEventMode, (fmi3Instance instance), (instance)) \
    X(Terminate, (fmi3Instance instance), (instance)) \
    X(Reset, (fmi3Instance instance), (instance)) \
    VALUES(X, Float32) VALUES(X, Float64) VALUES(X, Int8) VALUES(X, UInt8) \
    VALUES(X, Int16) VALUES(X, UInt16) VALUES(X, Int32) VALUES(X, UInt32) \
    VALUES(X, Int64) VALUES(X, UInt64) VALUES(X, Boolean) VALUES(X, String) \
    X(GetBinary, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, size_t valueSizes[], fmi3Binary values[], size_t nValues), \
      (instance, valueReferences, nValueReferences, valueSizes, values, nValues)) \
    X(GetClock, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3Clock values[]), \
      (instance, valueReferences, nValueReferences, values)) \
    X(SetBinary, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const size_t valueSizes[], const fmi3Binary values[], \
       size_t nValues), \
      (instance, valueReferences, nValueReferences, valueSizes, values, nValues)) \
    X(SetClock, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3Clock values[]), \
      (instance, valueReferences, nValueReferences, values)) \
    X(GetNumberOfVariableDependencies, \
      (fmi3Instance instance, fmi3ValueReference valueReference, size_t *nDependencies), \
      (instance, valueReference, nDependencies)) \
    X(GetVariableDependencies, \
      (fmi3Instance instance, fmi3ValueReference dependent, \
       size_t elementIndicesOfDependent[], fmi3ValueReference independents[], \
       size_t elementIndicesOfIndependents[], fmi3DependencyKind dependencyKinds[], \
       size_t nDependencies), \
      (instance, dependent, elementIndicesOfDependent, independents, \
       elementIndicesOfIndependents, dependencyKinds, nDependencies)) \
    X(GetFMUState, (fmi3Instance instance, fmi3FMUState *FMUState), (instance, FMUState)) \
    X(SetFMUState, (fmi3Instance instance, fmi3FMUState FMUState), (instance, FMUState)) \
    X(FreeFMUState, (fmi3Instance instance, fmi3FMUState *FMUState), (instance, FMUState)) \
    X(SerializedFMUStateSize, \
      (fmi3Instance instance, fmi3FMUState FMUState, size_t *size), \
      (instance, FMUState, size)) \
    X(SerializeFMUState, \
      (fmi3Instance instance, fmi3FMUState FMUState, fmi3Byte serializedState[], \
       size_t size), \
      (instance, FMUState, serializedState, size)) \
    X(DeserializeFMUState, \
      (fmi3Instance instance, const fmi3Byte serializedState[], size_t size, \
       fmi3FMUState *FMUState), \
      (instance, serializedState, size, FMUState)) \
    X(GetDirectionalDerivative, \
      (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns, \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], \
       size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity), \
      (instance, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, \
       nSensitivity)) \
    X(GetAdjointDerivative, \
      (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns, \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], \
       size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity), \
      (instance, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, \
       nSensitivity)) \
    X(EnterConfigurationMode, (fmi3Instance instance), (instance)) \
    X(ExitConfigurationMode, (fmi3Instance instance), (instance)) \
    X(GetIntervalDecimal, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3Float64 intervals[], \
       fmi3IntervalQualifier qualifiers[]), \
      (instance, valueReferences, nValueReferences, intervals, qualifiers)) \
    X(GetIntervalFraction, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[], \
       fmi3IntervalQualifier qualifiers[]), \
      (instance, valueReferences, nValueReferences, counters, resolutions, qualifiers)) \
    X(GetShiftDecimal, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3Float64 shifts[]), \
      (instance, valueReferences, nValueReferences, shifts)) \
    X(GetShiftFraction, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[]), \
      (instance, valueReferences, nValueReferences, counters, resolutions)) \
    X(SetIntervalDecimal, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3Float64 intervals[]), \
      (instance, valueReferences, nValueReferences, intervals)) \
    X(SetIntervalFraction, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3UInt64 counters[], \
       const fmi3UInt64 resolutions[]), \
      (instance, valueReferences, nValueReferences, counters, resolutions)) \
    X(SetShiftDecimal, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3Float64 shifts[]), \
      (instance, valueReferences, nValueReferences, shifts)) \
    X(SetShiftFraction, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3UInt64 counters[], \
       const fmi3UInt64 resolutions[]), \
      (instance, valueReferences, nValueReferences, counters, resolutions)) \
    X(EvaluateDiscreteStates, (fmi3Instance instance), (instance)) \
    X(UpdateDiscreteStates, \
      (fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate, \
       fmi3Boolean *terminateSimulation, fmi3Boolean *nominalsOfContinuousStatesChanged, \
       fmi3Boolean *valuesOfContinuousStatesChanged, fmi3Boolean *nextEventTimeDefined, \
       fmi3Float64 *nextEventTime), \
      (instance, discreteStatesNeedUpdate, terminateSimulation, \
       nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged, \
       nextEventTimeDefined, nextEventTime)) \
    X(EnterContinuousTimeMode, (fmi3Instance instance), (instance)) \
    X(CompletedIntegratorStep, \
      (fmi3Instance instance, fmi3Boolean noSetFMUStatePriorToCurrentPoint, \
       fmi3Boolean *enterEventMode, fmi3Boolean *terminateSimulation), \
      (instance, noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation)) \
    X(SetTime, (fmi3Instance instance, fmi3Float64 time), (instance, time)) \
    X(SetContinuousStates, \
      (fmi3Instance instance, const fmi3Float64 continuousStates[], \
       size_t nContinuousStates), \
      (instance, continuousStates, nContinuousStates)) \
    X(GetContinuousStateDerivatives, \
      (fmi3Instance instance, fmi3Float64 derivatives[], size_t nContinuousStates), \
      (instance, derivatives, nContinuousStates)) \
    X(GetEventIndicators, \
      (fmi3Instance instance, fmi3Float64 eventIndicators[], size_t nEventIndicators), \
      (instance, eventIndicators, nEventIndicators)) \
    X(GetContinuousStates, \
      (fmi3Instance instance, fmi3Float64 continuousStates[], size_t nContinuousStates), \
      (instance, continuousStates, nContinuousStates)) \
    X(GetNominalsOfContinuousStates, \
      (fmi3Instance instance, fmi3Float64 nominals[], size_t nContinuousStates), \
      (instance, nominals, nContinuousStates)) \
    X(GetNumberOfEventIndicators, \
      (fmi3Instance instance, size_t *nEventIndicators), (instance, nEventIndicators)) \
    X(GetNumberOfContinuousStates, \
      (fmi3Instance instance, size_t *nContinuousStates), (instance, nContinuousStates)) \
    X(EnterStepMode, (fmi3Instance instance), (instance)) \
    X(GetOutputDerivatives, \
      (fmi3Instance instance, const fmi3ValueReference valueReferences[], \
       size_t nValueReferences, const fmi3Int32 orders[], fmi3Float64 values[], \
       size_t nValues), \
      (instance, valueReferences, nValueReferences, orders, values, nValues)) \
    X(DoStep, \
      (fmi3Instance instance, fmi3Float64 currentCommunicationPoint, \
       fmi3Float64 communicationStepSize, fmi3Boolean noSetFMUStatePriorToCurrentPoint, \
       fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation, \
       fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime), \
      (instance, currentCommunicationPoint, communicationStepSize, \
       noSetFMUStatePriorToCurrentPoint, eventHandlingNeeded, terminateSimulation, \
       earlyReturn, lastSuccessfulTime)) \
    X(ActivateModelPartition, \
      (fmi3Instance instance, fmi3ValueReference clockReference, \
       fmi3Float64 activationTime), \
      (instance, clockReference, activationTime))

#define POINTER(name, parameters, arguments) fmi3##name##TYPE *name;
#define FIND(name, parameters, arguments) find(&library.name, "fmi3" #name);
#define PASS(name, parameters, arguments) \
    fmi3Status fmi3##name parameters { return instance ? library.name arguments : fmi3Error; }

/* Filled in by the first instance; an instance is there only if it was. */
static struct {
    void *handle;
    int is_whole;
    fmi3InstantiateCoSimulationTYPE *instantiate;
    fmi3FreeInstanceTYPE *free;
    EACH(POINTER)
} library;

/* Copies the address: ISO C converts no pointer to an object into one to a function. */
static void find(void *pointer, const char *name)
{
    void *address = dlsym(library.handle, name);
    memcpy(pointer, &address, sizeof address);
    library.is_whole = library.is_whole && address;
}

/* Returns the reason that the library cannot be loaded, or NULL. */
static const char *load(const char *resources)
{
    char path[PATH_MAX_BYTES];
    int length;

    if (library.is_whole) {
        return NULL;
    }
    if (!resources) {
        return "the unit needs the path of its resources";
    }
    if (strncmp(resources, "file://", 7) == 0) {
        resources += 7;
    }
    length = snprintf(path, sizeof path, "%s/" LIBRARY, resources);
    if (length < 0 || (size_t)length >= sizeof path) {
        return "the path of the unit's resources is longer than 4,095 bytes";
    }
    library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
        return dlerror();
    }
    library.is_whole = 1;
    find(&library.instantiate, "fmi3InstantiateCoSimulation");
    find(&library.free, "fmi3FreeInstance");
    EACH(FIND)
    return library.is_whole ? NULL : "the library in the resources lacks functions of FMI 3.0";
}

static fmi3Instance refuse(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                           const char *reason)
{
    if (log) {
        log(environment, fmi3Error, "logStatusError", reason);
    }
    return NULL;
}

/* The first call loads the library: it may not run beside another call of this function. */
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    const char *reason = load(resourcePath);

    if (reason) {
        return refuse(instanceEnvironment, logMessage, reason);
    }
    return library.instantiate(
        instanceName, instantiationToken, resourcePath, visible, loggingOn, eventModeUsed,
        earlyReturnAllowed, requiredIntermediateVariables, nRequiredIntermediateVariables,
        instanceEnvironment, logMessage, intermediateUpdate);
}

fmi3Instance fmi3InstantiateModelExchange(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible;
    (void)loggingOn;
    return refuse(instanceEnvironment, logMessage, "the unit is for co-simulation");
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible;
    (void)loggingOn, (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    return refuse(instanceEnvironment, logMessage, "the unit is for co-simulation");
}

const char *fmi3GetVersion(void)
{
    return fmi3Version;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    if (instance) {
        library.free(instance);
    }
}

EACH(PASS)

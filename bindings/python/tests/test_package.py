"""The package as a whole: what it imports, and the tree of its exceptions."""

import waywarden
from waywarden import errors


def test_exceptions_form_one_tree() -> None:
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            assert issubclass(value, waywarden.Error), name

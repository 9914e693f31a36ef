"""Attributes found without running user code: no properties, no `__getattr__`, no `__dir__`."""

from types import GetSetDescriptorType, ModuleType

from .own_builtins import __builtins__  # noqa: F401

MISSING = object()
_mro_of = type.__dict__["__mro__"].__get__
_class_dict_of = type.__dict__["__dict__"].__get__
_MODULE_DICT = ModuleType.__dict__["__dict__"].__get__


def instance_dict(value):
    """The value's own attribute dictionary, or an empty one."""
    if issubclass(type(value), ModuleType):
        return _MODULE_DICT(value)
    if issubclass(type(value), type):
        return {}
    for kind in _mro_of(type(value)):
        descriptor = _class_dict_of(kind).get("__dict__")
        if descriptor is not None:
            return descriptor.__get__(value) if type(descriptor) is GetSetDescriptorType else {}
    return {}


def attribute_names(value):
    """All names that the value, its class and (of a class) its bases define."""
    names = set(instance_dict(value))
    kinds = list(_mro_of(type(value)))
    if issubclass(type(value), type):
        kinds = list(_mro_of(value)) + [type]
    for kind in kinds:
        names.update(_class_dict_of(kind))
    return {name for name in names if type(name) is str}


def attribute(value, name):
    """The attribute if it is plainly stored, else MISSING; descriptors are not called."""
    own = instance_dict(value)
    if name in own:
        return own[name]
    kinds = _mro_of(value) if issubclass(type(value), type) else _mro_of(type(value))
    for kind in kinds:
        found = _class_dict_of(kind).get(name, MISSING)
        if found is not MISSING:
            if type(found) in (staticmethod, classmethod):
                return found.__func__
            return MISSING if type(found) in (property, GetSetDescriptorType) else found
    return MISSING


def is_of_package(kind, package):
    """Whether a class says that it is the package's: pandas 3 names itself, 2 the module within."""
    return kind.__module__.partition(".")[0] == package


def column_names(value):
    """The column names of a pandas DataFrame as text; empty for anything else."""
    kind = type(value)
    if kind.__name__ != "DataFrame" or not is_of_package(kind, "pandas"):
        return []
    return [str(name) for name in list(value.columns[:1000])]

"""The C interface: structures and prototypes of specreg/specreg.h, and where the library is found.

tests/python/test_package_abi.py compares all of it with the header.
"""
from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_void_p,
)
from typing import Any, Iterator

__all__ = ["lib"]


class View(Structure):
    """specreg_view"""

    _fields_ = [("data", c_void_p), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64)]


class FloatView(Structure):
    """specreg_float_view"""

    _fields_ = [("data", c_void_p), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64)]


class CsrView(Structure):
    """specreg_csr_view"""

    _fields_ = [
        ("value", c_void_p),
        ("start", c_void_p),
        ("index", c_void_p),
        ("rows", c_int64),
        ("cols", c_int64),
    ]


class StridedView(Structure):
    """specreg_strided_view"""

    _fields_ = [
        ("data", c_void_p),
        ("rows", c_int64),
        ("cols", c_int64),
        ("row_step", c_int64),
        ("col_step", c_int64),
        ("is_float", c_int),
    ]


class Data(Structure):
    """specreg_data"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("X", POINTER(View)),
        ("X_float", POINTER(FloatView)),
        ("X_csr", POINTER(CsrView)),
        ("Y", POINTER(View)),
        ("labels", c_void_p),
        ("weights", c_void_p),
        ("groups", c_void_p),
        ("x_names", c_void_p),
        ("y_names", c_void_p),
        ("X_strided", POINTER(StridedView)),
    ]


class Progress(Structure):
    """specreg_progress"""

    _fields_ = [
        ("stage", c_char_p),
        ("step", c_int64),
        ("steps", c_int64),
        ("seconds", c_double),
    ]


class OptionInfo(Structure):
    """specreg_option_info"""

    _fields_ = [
        ("name", c_char_p),
        ("default_value", c_char_p),
        ("argument", c_char_p),
        ("help", c_char_p),
        ("scope", c_uint),
    ]


class PathPoint(Structure):
    """specreg_path_point"""

    _fields_ = [
        ("name", c_char_p),
        ("parameter", c_char_p),
        ("value", c_double),
        ("kernel", c_int64),
        ("coefficients", c_void_p),
        ("centres", c_int64),
        ("columns", c_int64),
        ("terms", c_void_p),
        ("n_terms", c_int64),
        ("term_names", POINTER(c_char_p)),
        ("predictions", c_void_p),
        ("rows", c_int64),
        ("outputs", c_int64),
        ("output_names", POINTER(c_char_p)),
        ("table", c_void_p),
        ("centre_rows", c_void_p),
        ("centre_outputs", POINTER(c_char_p)),
    ]


PathFn = CFUNCTYPE(c_int, POINTER(PathPoint), c_void_p)


class PathRequest(Structure):
    """specreg_path_request"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("test", c_void_p),
        ("rows", c_void_p),
        ("grid", c_char_p),
        ("each", PathFn),
        ("payload", c_void_p),
    ]


class ReportPart(Structure):
    """specreg_report_part"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("title", c_char_p),
        ("model", c_void_p),
        ("record", c_char_p),
        ("data", c_void_p),
        ("sample", c_void_p),
        ("plan", c_char_p),
    ]


STRUCTURES = {
    "specreg_view": View,
    "specreg_float_view": FloatView,
    "specreg_csr_view": CsrView,
    "specreg_strided_view": StridedView,
    "specreg_data": Data,
    "specreg_progress": Progress,
    "specreg_path_point": PathPoint,
    "specreg_path_request": PathRequest,
    "specreg_option_info": OptionInfo,
    "specreg_report_part": ReportPart,
}

ProgressFn = CFUNCTYPE(c_int, POINTER(Progress), c_void_p)
LogFn = CFUNCTYPE(None, c_char_p, c_void_p)

_ctx = _options = _table = _model = c_void_p
_out = POINTER(c_void_p)
_data = POINTER(Data)
_status = c_int

# Every function that the package calls: what it returns, then its parameters.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "specreg_version": (c_char_p,),
    "specreg_string_free": (None, c_void_p),
    "specreg_bytes_free": (None, c_void_p),
    "specreg_context_new": (_status, _out),
    "specreg_context_free": (None, _ctx),
    "specreg_last_error": (c_char_p, _ctx),
    "specreg_set_progress": (None, _ctx, ProgressFn, c_void_p),
    "specreg_set_log": (None, _ctx, LogFn, c_void_p),
    "specreg_option_at": (POINTER(OptionInfo), c_int),
    "specreg_options_new": (_status, _ctx, _out),
    "specreg_options_free": (None, _options),
    "specreg_options_set": (_status, _ctx, _options, c_char_p, c_char_p),
    "specreg_table_read": (_status, _ctx, c_char_p, _options, _out),
    "specreg_table_read_for": (_status, _ctx, _model, c_char_p, _options, _out),
    "specreg_table_over_data": (_status, _ctx, _data, _out),
    "specreg_table_insert_text": (_status, _ctx, _table, c_int64, c_char_p, c_void_p),
    "specreg_table_free": (None, _table),
    "specreg_table_rows": (c_int64, _table),
    "specreg_table_cols": (c_int64, _table),
    "specreg_table_name": (c_char_p, _table, c_int64),
    "specreg_table_is_text": (c_int, _table, c_int64),
    "specreg_table_numbers": (_status, _ctx, _table, c_int64, c_int64, c_void_p, c_int64),
    "specreg_table_text": (c_char_p, _table, c_int64, c_int64),
    "specreg_fit": (_status, _ctx, _table, _options, _out),
    "specreg_fit_files": (_status, _ctx, c_void_p, c_int64, _options, _out),
    "specreg_fit_data": (_status, _ctx, _data, _options, _out),
    "specreg_model_free": (None, _model),
    "specreg_sums_init": (_status, _ctx, c_char_p, _options, c_char_p),
    "specreg_sums_add": (_status, _ctx, c_char_p, c_void_p, c_int64, _options, c_char_p),
    "specreg_sums_merge": (_status, _ctx, c_void_p, c_int64, c_char_p),
    "specreg_fit_sums": (_status, _ctx, c_char_p, _options, _out),
    "specreg_model_save": (_status, _ctx, _model, c_char_p),
    "specreg_model_export": (_status, _ctx, _model, c_char_p, c_char_p),
    "specreg_model_load": (_status, _ctx, c_char_p, _out),
    "specreg_model_import": (_status, _ctx, c_char_p, c_int64, _out),
    "specreg_model_to_memory": (_status, _ctx, _model, _out, POINTER(c_size_t)),
    "specreg_model_from_memory": (_status, _ctx, c_char_p, c_size_t, _out),
    "specreg_kpca": (_status, _ctx, _table, _options, c_int64, _out),
    "specreg_nystrom": (_status, _ctx, _table, _options, _out),
    "specreg_model_outputs": (c_int64, _model),
    "specreg_model_inputs": (c_int64, _model),
    "specreg_model_class": (c_char_p, _model, c_int64),
    "specreg_model_array": (_status, _ctx, _model, c_char_p, POINTER(View)),
    "specreg_model_parts": (c_int64, _model),
    "specreg_model_part": (c_char_p, _model, c_int64),
    "specreg_predict_part_array": (
        _status, _ctx, _model, POINTER(View), c_int64, _options, c_void_p, c_int64,
    ),
    "specreg_predict": (_status, _ctx, _model, _table, _options, _out),
    "specreg_predict_data": (_status, _ctx, _model, _data, _options, c_void_p, c_int64),
    "specreg_predict_classes": (_status, _ctx, _model, _data, _options, c_void_p, c_int64),
    "specreg_predict_proba_data": (_status, _ctx, _model, _data, _options, c_void_p, c_int64),
    "specreg_predict_interval_data": (_status, _ctx, _model, _data, _options, c_void_p, c_int64),
    "specreg_model_record": (_status, _ctx, _model, _out),
    "specreg_evaluate": (_status, _ctx, _model, _table, _options, _out),
    "specreg_importance": (_status, _ctx, _model, _table, _options, _out),
    "specreg_importance_record": (_status, _ctx, _model, c_void_p, _out),
    "specreg_importances_free": (None, c_void_p),
    "specreg_partial": (_status, _ctx, _model, _table, _options, _out),
    "specreg_partial_record": (_status, _ctx, _model, c_void_p, _out),
    "specreg_partials_free": (None, c_void_p),
    "specreg_path": (_status, _ctx, _table, _table, _options, _out),
    "specreg_path_solutions": (_status, _ctx, _table, POINTER(PathRequest), _options, _out),
    "specreg_cv": (_status, _ctx, _table, _options, _out),
    "specreg_spectrum": (_status, _ctx, _table, _options, _out),
    "specreg_filters": (_status, _ctx, _out),
    "specreg_filter_curve": (_status, _ctx, c_char_p, c_char_p, c_char_p, c_double, _out),
    "specreg_plan": (_status, _ctx, _table, _options, _out),
    "specreg_plan_files": (_status, _ctx, c_void_p, c_int64, _options, _out),
    "specreg_report_page": (_status, _ctx, POINTER(ReportPart), c_int64, _options, _out),
    "specreg_text_write": (_status, _ctx, c_char_p, c_char_p),
    "specreg_is_model_file": (c_int, c_char_p),
}

# The rest of the header, which the package does without.
NOT_NEEDED = """
specreg_status_string specreg_context_new_with specreg_set_plan specreg_options_get specreg_table_write
specreg_table_from_arrays specreg_table_from_data specreg_table_select specreg_table_number
specreg_vocabulary_learn specreg_vocabulary_apply specreg_vocabulary_save specreg_vocabulary_load
specreg_vocabulary_free specreg_vocabulary_size specreg_vocabulary_word specreg_topics_learn
specreg_topics_apply specreg_topics_save specreg_topics_load specreg_topics_free specreg_topics_count
specreg_topics_share specreg_topics_word specreg_topics_vocabulary specreg_features_kind
specreg_register_kernel specreg_register_matrix_kernel
specreg_register_filter specreg_register_map specreg_fit_arrays
specreg_sums_subtract specreg_sums_info specreg_kpca_apply specreg_model_vocabulary specreg_model_number
specreg_predict_files specreg_predict_array specreg_grid_table specreg_predict_proba_array specreg_predict_interval_array
specreg_measure_at specreg_rule_title specreg_criterion_title specreg_evaluate_files
specreg_table_record
specreg_report_data specreg_report_files
""".split()


@contextmanager
def _short_waits() -> Iterator[None]:
    """Threads of GNU OpenMP that wait for each other spin for a while first, by default so long that on a busy
    computer they take each other's processor, and a fit takes ten times as long and more.  It reads the
    setting when it is loaded, as a rule with this library; the user's own is left alone."""
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def _load() -> Any:
    """The library beside the package, or the one that SPECREG_LIBRARY names, or the system's."""
    given = os.environ.get("SPECREG_LIBRARY")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libspecreg.so.1")
    for path in (given, beside, "libspecreg.so.1"):
        if path and (path == "libspecreg.so.1" or os.path.exists(path)):
            break
    try:
        with _short_waits():
            library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"specreg: the library libspecreg.so.1 cannot be loaded: {error}") from None
    for name, (result, *parameters) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"specreg: {path} is of another version: it has no {name}") from None
        function.restype, function.argtypes = result, parameters
    return library


lib = _load()

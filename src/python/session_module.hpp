// The builtin module `_cellblock_session`: what the Python runtime may ask of the session.
//
//   send_display(body: dict, attachments: sequence of bytes-like) -> None
//     Frames a display_event of the current execution. ValueError: over the frame limits;
//     RuntimeError: outside a session; OSError: the host is gone.
#pragma once

struct _object;  // PyObject

namespace cellblock::python {

class DisplaySink;

/// Before the interpreter starts.
void register_session_module();

/// What PyModule_FromDefAndSpec takes, for interpreters that started without it.
struct _object* session_module_definition();

/// `module` is the imported module; `sink` outlives the interpreter.
void connect_session_module(struct _object* module, DisplaySink& sink);

}  // namespace cellblock::python

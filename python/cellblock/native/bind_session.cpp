#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <string>

#include "module.hpp"
#include "running_handle.hpp"
#include "session_handle.hpp"

namespace cellblock::sdk {

namespace py = pybind11;

namespace {

std::optional<std::chrono::milliseconds> timeout_of(std::optional<double> seconds) {
  constexpr double kLongest = 1e9;  // the policy's own limit is always less
  if (!seconds) return std::nullopt;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::ceil(std::min(*seconds, kLongest) * 1000)));
}

std::shared_ptr<RunningHandle> start(const SessionHandle& session, const std::string& code,
                                     std::optional<double> timeout_s, bool on_stdout,
                                     bool on_stderr, bool on_result, bool on_queued,
                                     const std::map<std::string, std::string>& trace) {
  const auto mark = [&](const char* name) {
    const auto found = trace.find(name);
    return found == trace.end() ? std::string() : found->second;
  };
  const RunOptions options{.timeout = timeout_of(timeout_s),
                           .trace = {.traceparent = mark("traceparent"),
                                     .request_id = mark("request_id"),
                                     .tenant = mark("tenant")}};
  return std::make_shared<RunningHandle>(
      session, code, options,
      EventQueue::Wanted{
          .out = on_stdout, .err = on_stderr, .results = on_result, .queued = on_queued});
}

py::list variables(const SessionHandle& session) {
  py::list list;
  for (const auto& variable : session.ask([](Session& asked) { return asked.variables(); })) {
    list.append(py::make_tuple(variable.name, variable.type, variable.summary));
  }
  return list;
}

py::tuple described(const FileInfo& file) {
  return py::make_tuple(file.path, file.size, file.mime);
}

py::list files(const SessionHandle& session) {
  py::list list;
  for (const auto& file : session.ask([](Session& asked) { return asked.files(); })) {
    list.append(described(file));
  }
  return list;
}

py::tuple stat(const SessionHandle& session, const std::string& path) {
  return described(session.ask([path](Session& asked) { return asked.stat(path); }));
}

py::tuple complete(const SessionHandle& session, const std::string& code, std::size_t cursor) {
  auto found = session.ask([code, cursor](Session& asked) { return asked.complete(code, cursor); });
  return py::make_tuple(std::move(found.matches), found.start, found.end);
}

py::tuple inspect(const SessionHandle& session, const std::string& code, std::size_t cursor) {
  const auto found =
      session.ask([code, cursor](Session& asked) { return asked.inspect(code, cursor); });
  return py::make_tuple(found.found, found.text);
}

py::tuple is_complete(const SessionHandle& session, const std::string& code) {
  const auto answer = session.ask([code](Session& asked) { return asked.is_complete(code); });
  return py::make_tuple(answer.status, answer.indent);
}

py::tuple output(const SessionHandle& session, const std::string& execution_id, bool of_stderr,
                 Bytes offset, Bytes limit, const std::optional<std::string>& pattern) {
  const OutputQuery query{.execution_id = execution_id,
                          .stream = of_stderr ? OutputStream::err : OutputStream::out,
                          .offset = offset,
                          .limit = limit,
                          .pattern = pattern};
  const auto page = session.ask([query](Session& asked) { return asked.output(query); });
  return py::make_tuple(page.text, page.next_offset, page.total_bytes);
}

std::string upload(const SessionHandle& session, const std::string& path, const py::bytes& data,
                   bool append) {
  return session.ask([path, data = std::string(data), append](Session& asked) {
    return append ? asked.append(path, data) : asked.upload(path, data);
  });
}

std::string upload_file(const SessionHandle& session, const std::string& local,
                        const std::string& path) {
  return session.ask([local, path](Session& asked) { return asked.upload_file(local, path); });
}

std::string upload_redacted(const SessionHandle& session, const std::string& local,
                            const std::string& path, std::map<std::string, std::string> rules,
                            const std::string& format, const std::string& hash_key) {
  const Redaction redaction{.rules = std::move(rules), .format = format, .hash_key = hash_key};
  return session
      .ask([local, path, redaction](Session& asked) {
        return asked.upload_redacted(local, path, redaction);
      })
      .to_json();
}

py::bytes download(const SessionHandle& session, const std::string& path, Bytes offset,
                   std::optional<Bytes> limit) {
  return session.ask(
      [path, offset, limit](Session& asked) { return asked.download(path, offset, limit); });
}

py::object ended(const SessionHandle& session) {
  const auto why = session.ended();
  if (!why) return py::none();
  return py::make_tuple(to_string(why->kind), why->message);
}

}  // namespace

void bind_session(py::module_& module) {
  using py::arg;
  py::class_<SessionHandle, std::shared_ptr<SessionHandle>>(module, "Session")
      .def_property_readonly("id", &SessionHandle::id)
      .def_property_readonly(
          "isolation_json",
          [](const SessionHandle& session) { return session.isolation().to_json(); })
      .def_property_readonly("start_ms",
                             [](const SessionHandle& session) {
                               return static_cast<double>(session.start_time().count()) / 1000;
                             })
      .def("ended", &ended)
      .def("open_context", &SessionHandle::open_context)
      .def("start", &start, arg("code"), arg("timeout_s"), arg("on_stdout"), arg("on_stderr"),
           arg("on_result"), arg("on_queued"), arg("trace"))
      .def("interrupt",
           [](const SessionHandle& session) {
             without_gil([opened = session.session()] { opened->interrupt(); });
           })
      .def("reset",
           [](const SessionHandle& session) {
             session.ask([](Session& asked) { return asked.reset(); });
           })
      .def("variables", &variables)
      .def("complete", &complete, arg("code"), arg("cursor"))
      .def("inspect", &inspect, arg("code"), arg("cursor"))
      .def("is_complete", &is_complete, arg("code"))
      .def("output", &output, arg("execution_id"), arg("of_stderr"), arg("offset"), arg("limit"),
           arg("pattern"))
      .def("upload", &upload, arg("path"), arg("data"), arg("append"))
      .def("upload_file", &upload_file, arg("local"), arg("path"))
      .def("upload_redacted", &upload_redacted, arg("local"), arg("path"), arg("rules"),
           arg("format"), arg("hash_key"))
      .def("download", &download, arg("path"), arg("offset"), arg("limit"))
      .def("files", &files)
      .def("stat", &stat, arg("path"))
      .def("close", [](SessionHandle& session) { without_gil([&] { session.close(); }); });
}

}  // namespace cellblock::sdk

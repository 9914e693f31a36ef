#include <pybind11/stl.h>

#include <cmath>
#include <optional>

#include "module.hpp"
#include "running_handle.hpp"

namespace cellblock::sdk {

namespace py = pybind11;

namespace {

using Kind = EventQueue::Event::Kind;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::out:
      return "stdout";
    case Kind::err:
      return "stderr";
    case Kind::result:
      return "result";
    case Kind::queued:
      return "queued";
  }
  return "";
}

std::optional<std::chrono::nanoseconds> limit_of(std::optional<double> seconds) {
  constexpr double kLongest = 1e9;  // what a duration in nanoseconds holds, and nobody lives to see
  if (!seconds || *seconds > kLongest) return std::nullopt;
  if (!(*seconds > 0)) return std::chrono::nanoseconds(0);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(*seconds));
}

py::tuple take(RunningHandle& running) {
  const EventQueue::Taken taken = running.take();
  py::list events;
  for (const auto& event : taken.events) {
    py::object what = event.kind == Kind::queued ? py::object(py::int_(event.position))
                                                 : py::object(py::str(event.text));
    events.append(py::make_tuple(name_of(event.kind), std::move(what)));
  }
  return py::make_tuple(std::move(events), taken.finished);
}

}  // namespace

void bind_running(py::module_& module) {
  py::class_<RunningHandle, std::shared_ptr<RunningHandle>>(module, "Running")
      .def_property_readonly("execution_id", &RunningHandle::execution_id)
      .def("take", &take)
      .def(
          "wait",
          [](const RunningHandle& running, std::optional<double> seconds) {
            return running.wait(limit_of(seconds));
          },
          py::arg("seconds"))
      .def("fileno", &RunningHandle::fd)
      .def("done", &RunningHandle::done)
      .def("result", &RunningHandle::result)
      .def("interrupt", &RunningHandle::interrupt)
      .def("drop_events", &RunningHandle::drop_events);
}

}  // namespace cellblock::sdk

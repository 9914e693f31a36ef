// `cellblock doctor`: what this machine offers, and what a session here gets.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/engine.hpp"

namespace cellblock::cli {

struct DoctorFlags {
  EngineFlags engine;
  bool json = false;
};

/// The command's parser; `flags` outlives it.
CLI::App* add_doctor_command(CLI::App& app, DoctorFlags& flags);

/// 0 only if a session that requires isolation would start; 1 if not; 2 when none starts at all.
int doctor(DoctorFlags flags);

}  // namespace cellblock::cli

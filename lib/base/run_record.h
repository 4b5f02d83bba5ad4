#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace adamant
{
/// The record of one run, written as run.json: application, version, backend, dofs, iterations, timings in wall-clock
/// seconds, errors and more. Scripts and tests read this file, never the screen.
using RunRecord = nlohmann::ordered_json;

/// Writes beside `file`, then renames, so that a reader never meets half a file. Throws RunError where that fails.
void write_file(const std::string &file, const std::string &text);

/// Peak resident memory of this process in bytes.
long peak_host_memory();
} // namespace adamant

#pragma once

#include "frame/restart/checkpoint.h"

#include <string>
#include <vector>

namespace adamant
{
/// Returns the effective parameters as JSON for a restart to compare. A checksum stands for a mesh file, wherever it
/// lies.
std::string comparable_parameters();

/// Throws InputError with the parameters that differ from the checkpoint's and that a restart may not change.
/// restart_rules.cc lists the parameters that it may change. `must_stay` takes keys "Section/key" off that list: this
/// program's state or the columns of its statistics.csv depend on them.
void check_restart(const CheckpointReader &checkpoint, const std::vector<std::string> &must_stay);
} // namespace adamant

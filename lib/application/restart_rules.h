#pragma once

#include "application/checkpoint.h"

#include <string>
#include <vector>

namespace adamant
{
/// The effective parameters as JSON, to be compared by a restart: a mesh file is its checksum, wherever it lies.
std::string comparable_parameters();

/// Throws InputError with the parameters that differ from those of the checkpoint and that a restart may not change.
/// What it may change stands in one list (restart_rules.cc), but for `must_stay`: the keys "Section/key" on which this
/// program's state or the columns of its statistics.csv depend.
void check_restart(const CheckpointReader &checkpoint, const std::vector<std::string> &must_stay);
} // namespace adamant

#pragma once

#include "algebra/profiler_range.h"

#include <deal.II/base/timer.h>

#include <string>

namespace adamant
{
namespace internal
{
/// For tests of programs: throws RunError at the begin of the N-th section of this name on one rank where the
/// environment variable ADAMANT_FAIL=RANK:NAME:N wants it.
void fail_for_test(const std::string &section);
} // namespace internal

/// A part of the program in the timing table, in the timings of run.json and in profilers, as long as the object lives.
class Section
{
public:
  Section(dealii::TimerOutput &timer, const std::string &name)
    : scope(timer, name)
    , range(name)
  {
    internal::fail_for_test(name);
  }

private:
  dealii::TimerOutput::Scope scope;
  ProfilerRange              range;
};
} // namespace adamant

#pragma once

#include "algebra/profiler_range.h"

#include <deal.II/base/timer.h>

#include <functional>
#include <optional>
#include <string>

namespace adamant
{
namespace internal
{
/// Throws RunError at the begin of the N-th section of this name on one rank, for tests of programs. The environment
/// variable ADAMANT_FAIL=RANK:NAME:N asks for it.
void fail_for_test(const std::string &section);
} // namespace internal

/// The clocks of a program's Sections. While `remeshing` is set, sections "init/..." belong to a change of the mesh and
/// count as "remesh/...".
class SectionTimer : public dealii::TimerOutput
{
public:
  using dealii::TimerOutput::TimerOutput;

  bool remeshing = false;

  /// A function that is called with a section's name where it begins, and with "" where one ends.
  std::function<void(const std::string &)> observer = [](const std::string &) {};

  std::string name_of(const std::string &section) const
  {
    return remeshing && section.rfind("init/", 0) == 0 ? "remesh/" + section.substr(5) : section;
  }
};

/// A part of the program, as long as the object lives: it appears in the timing table, in the timings of run.json and
/// in profilers.
class Section
{
public:
  Section(SectionTimer &timer, const std::string &name)
    : timer(timer)
    , scope(timer, timer.name_of(name))
    , range(timer.name_of(name))
  {
    timer.observer(timer.name_of(name));
    internal::fail_for_test(name);
  }
  ~Section() { timer.observer(""); }

private:
  SectionTimer              &timer;
  dealii::TimerOutput::Scope scope;
  ProfilerRange              range;
};

/// A part of a section whose time counts as another section's instead.
class SectionWithin
{
public:
  SectionWithin(SectionTimer &timer, const std::string &outer, const std::string &name)
    : timer(timer)
    , outer(timer.name_of(outer))
  {
    timer.leave_subsection(this->outer);
    try
      {
        section.emplace(timer, name);
      }
    catch (...)
      {
        come_back();
        throw;
      }
  }
  ~SectionWithin() { come_back(); }

private:
  void come_back()
  {
    section.reset();
    timer.enter_subsection(outer); // the Section of this name will leave it
    timer.observer(outer);
  }

  SectionTimer          &timer;
  const std::string      outer;
  std::optional<Section> section;
};
} // namespace adamant

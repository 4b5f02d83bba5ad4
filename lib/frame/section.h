#pragma once

#include "algebra/profiler_range.h"

#include <deal.II/base/timer.h>

#include <functional>
#include <string>
#include <vector>

namespace adamant
{
class Section;

/// The clocks of a program's Sections. While `remeshing` is set, sections "init/..." belong to a change of the mesh and
/// count as "remesh/...".
class SectionTimer : public dealii::TimerOutput
{
public:
  using dealii::TimerOutput::TimerOutput;

  bool remeshing = false;

  /// A function that is called with a section's name where its clock starts, and with "" where no section is left.
  std::function<void(const std::string &)> observer = [](const std::string &) {};

private:
  friend class adamant::Section; // deal.II has a Section of its own
  std::string name_of(const std::string &section) const;
  void        begin(const std::string &section);
  void        end();

  std::vector<std::string> open; // sections that have begun, the innermost last
};

/// A part of the program, as long as the object lives: it appears in the timing table, in the timings of run.json and
/// in profilers. The clock of the section around it rests meanwhile, so that a second counts once. Only the clock of
/// "remesh" goes on: it counts the whole change of a mesh.
class Section
{
public:
  Section(SectionTimer &timer, const std::string &name)
    : timer(timer)
    , range(timer.name_of(name))
  {
    timer.begin(name);
  }
  ~Section() { timer.end(); }
  Section(const Section &)            = delete;
  Section &operator=(const Section &) = delete;

private:
  SectionTimer &timer;
  ProfilerRange range;
};
} // namespace adamant

#include "frame/section.h"

#include "base/communicator.h"
#include "base/exceptions.h"

#include <cstdlib>
#include <map>

namespace adamant
{
namespace
{
// Throws RunError at the begin of the N-th section of this name on one rank, for tests of programs. The environment
// variable ADAMANT_FAIL=RANK:NAME:N asks for it.
void fail_for_test(const std::string &section)
{
  static const char *const wish = std::getenv("ADAMANT_FAIL");
  if (wish == nullptr)
    return;
  static std::map<std::string, int> begun;
  const int                         n    = ++begun[section];
  const int                         rank = Communicator(MPI_COMM_WORLD).rank();
  if (std::to_string(rank) + ":" + section + ":" + std::to_string(n) == wish)
    throw RunError("failed as ADAMANT_FAIL wants it in section '" + section + "'");
}
} // namespace

std::string SectionTimer::name_of(const std::string &section) const
{
  return remeshing && section.rfind("init/", 0) == 0 ? "remesh/" + section.substr(5) : section;
}

void SectionTimer::begin(const std::string &section)
{
  fail_for_test(section);
  const std::string name = name_of(section);
  if (!open.empty() && open.back() != "remesh") // the clock of a section rests in the sections within it
    leave_subsection(open.back());
  open.push_back(name);
  enter_subsection(name);
  observer(name);
}

void SectionTimer::end()
{
  const std::string name = open.back();
  open.pop_back();
  leave_subsection(name);
  if (!open.empty() && open.back() != "remesh")
    enter_subsection(open.back());
  observer(open.empty() ? "" : open.back());
}
} // namespace adamant

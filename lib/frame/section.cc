#include "frame/section.h"

#include "base/communicator.h"
#include "base/exceptions.h"

#include <cstdlib>
#include <map>

namespace adamant
{
namespace internal
{
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
} // namespace internal
} // namespace adamant

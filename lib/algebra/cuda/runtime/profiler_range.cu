#include "algebra/profiler_range.h"

#include <nvtx3/nvToolsExt.h>

namespace adamant
{
ProfilerRange::ProfilerRange(const std::string &name)
{
  nvtxRangePushA(name.c_str());
}

ProfilerRange::~ProfilerRange()
{
  nvtxRangePop();
}
} // namespace adamant

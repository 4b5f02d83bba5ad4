#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace adamant
{
namespace cuda
{
/// The UUID of a GPU, by which ranks know whether they share it. The number of a GPU does not tell: it differs where
/// each rank sees other GPUs, as where a batch system gives each rank its own.
using DeviceId = std::array<char, 16>;

/// Returns an empty text where each rank has a device of its own, else a message for the user. `devices` has one entry
/// for each rank.
inline std::string why_shared(std::vector<DeviceId> devices)
{
  const std::size_t n_ranks = devices.size();
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.size() == n_ranks)
    return "";
  return std::to_string(n_ranks) + " ranks have " + std::to_string(devices.size()) +
         (devices.size() == 1 ? " GPU" : " GPUs") +
         " between them; start a rank for each GPU, or let them share by Ranks/Share devices = true";
}
} // namespace cuda
} // namespace adamant

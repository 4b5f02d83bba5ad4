#pragma once

#include "algebra/device.h"

#include <ostream>
#include <string>

namespace adamant
{
/// The device that `choice` ("host", "cuda" or "auto") names. "auto" falls back to the host and says so on `out`;
/// "cuda" throws RunError with the reason where there is none. All ranks run on the same one; on GPUs `out` hears how
/// they exchange. Throws InputError where the format is cusparse and the device is the host.
Device choose_device(const std::string &choice, int n_threads, std::ostream &out,
                     const Communicator &ranks = Communicator(), bool share_devices = false,
                     MatrixFormat format = MatrixFormat::compressed);

/// Its name on the command line and in run.json: "host" or "cuda".
std::string backend_name(const Device &device);
} // namespace adamant

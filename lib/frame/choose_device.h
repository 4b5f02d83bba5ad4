#pragma once

#include "algebra/device.h"

#include <ostream>
#include <string>

namespace adamant
{
/// Returns the device that `choice` ("host", "cuda" or "auto") names. Where there is no GPU, "auto" takes the host and
/// says so on `out`; "cuda" throws RunError with the reason. All ranks run on one kind of device; with GPUs `out` gets
/// a line on how they exchange data. Throws InputError where the format is cusparse and the device is the host.
Device choose_device(const std::string &choice, int n_threads, std::ostream &out,
                     const Communicator &ranks = Communicator(), bool share_devices = false,
                     MatrixFormat format = MatrixFormat::compressed);

/// Returns the device's name on the command line and in run.json: "host" or "cuda".
std::string backend_name(const Device &device);
} // namespace adamant

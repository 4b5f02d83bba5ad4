#include "frame/choose_device.h"

#include "base/exceptions.h"

namespace adamant
{
Device choose_device(const std::string &choice, int n_threads, std::ostream &out, const Communicator &ranks,
                     bool share_devices, MatrixFormat format)
{
  if (choice != "host")
    try
      {
        const Device device = Device::cuda(ranks, share_devices, format);
        if (const std::string exchange = device.interface().exchange(); !exchange.empty())
          out << "GPUs exchange by " << exchange << std::endl;
        return device;
      }
    catch (const RunError &reason)
      {
        if (choice == "cuda")
          throw;
        if (built_with_cuda)
          out << "no GPU is used: " << reason.what() << std::endl;
      }
  if (format == MatrixFormat::cusparse)
    throw InputError("Linear solver/Matrix format = cusparse needs --backend cuda");
  return Device::host(n_threads, ranks);
}

std::string backend_name(const Device &device)
{
  return device.asynchronous() ? "cuda" : "host";
}
} // namespace adamant

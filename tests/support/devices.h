#pragma once

#include "algebra/device.h"
#include "base/exceptions.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

/// The devices under test. A new one joins here, and every suite below runs on it.
namespace adamant::test
{
enum class Place
{
  host,
  cuda,
  cusparse ///< the GPU with matrices, products and reductions of NVIDIA's libraries
};

inline std::string name_of(Place place)
{
  return place == Place::host ? "host" : place == Place::cuda ? "cuda" : "cusparse";
}

inline void PrintTo(Place place, std::ostream *out) // GoogleTest's name for it
{
  *out << name_of(place);
}

/// A device of this kind, or why there is none on this machine.
struct DeviceOrReason
{
  std::optional<Device> device;
  std::string           reason;
};

inline DeviceOrReason make_device(Place place, int n_threads = 2)
{
  if (place == Place::host)
    return {Device::host(n_threads), ""};
  try
    {
      return {
        Device::cuda(Communicator(), false, place == Place::cuda ? MatrixFormat::compressed : MatrixFormat::cusparse),
        ""};
    }
  catch (const RunError &error)
    {
      return {std::nullopt, error.what()};
    }
}

/// Returns the device of a place, or the reason why there is none; it is made once in a process.
inline const DeviceOrReason &device_at(Place place)
{
  static const DeviceOrReason host = make_device(Place::host);
  if (place == Place::host)
    return host;
  static const DeviceOrReason cuda = make_device(Place::cuda), cusparse = make_device(Place::cusparse);
  return place == Place::cuda ? cuda : cusparse;
}

/// What fixtures of both kinds have: the device; a test is skipped, with the reason, where this machine has none.
class OnDevice : public ::testing::Test
{
protected:
  explicit OnDevice(Place place)
    : place(place)
    , device(device_at(place).device.value_or(Device()))
  {}

  void SetUp() override
  {
    if (!device_at(place).device)
      GTEST_SKIP() << device_at(place).reason;
  }

  const Place  place;
  const Device device;
};

/// Fixture of suites in double precision. Its tests are TEST_P, and the suite is instantiated by
///   INSTANTIATE_TEST_SUITE_P(Devices, Suite, all_places, place_name);
class DeviceTest : public OnDevice, public ::testing::WithParamInterface<Place>
{
protected:
  DeviceTest()
    : OnDevice(GetParam())
  {}
};
inline const auto  all_places = ::testing::Values(Place::host, Place::cuda, Place::cusparse);
inline std::string place_name(const ::testing::TestParamInfo<Place> &info)
{
  return name_of(info.param);
}

/// A precision on a device.
template <typename Number_, Place place_>
struct In
{
  using Number                 = Number_;
  static constexpr Place place = place_;
};

/// Fixture of suites in both precisions. Its tests are TYPED_TEST, and the suite is declared by
///   TYPED_TEST_SUITE(Suite, Precisions, PrecisionName);
template <class In>
class PrecisionTest : public OnDevice
{
protected:
  using Number = typename In::Number;
  using Vector = adamant::Vector<Number>;
  using Matrix = adamant::Matrix<Number>;

  PrecisionTest()
    : OnDevice(In::place)
  {}
};
using Precisions = ::testing::Types<In<double, Place::host>, In<float, Place::host>, In<double, Place::cuda>,
                                    In<float, Place::cuda>, In<double, Place::cusparse>, In<float, Place::cusparse>>;
struct PrecisionName
{
  template <class In>
  static std::string GetName(int)
  {
    return (sizeof(typename In::Number) == sizeof(double) ? "double_" : "float_") + name_of(In::place);
  }
};

/// Values of the tests' own container on a device, and back.
template <typename Number = double>
Vector<Number> to_device(const Device &device, const std::vector<double> &values)
{
  return {device, Array<double>(values.begin(), values.end())};
}
template <typename Number>
std::vector<double> values_of(const Vector<Number> &x)
{
  return to_host<std::vector<double>>(x);
}
} // namespace adamant::test

#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/communicator.h"
#include "base/host_device.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// A function of t at n fixed points x_i: it sets values[c n + i] = f_c(t, x_i) for c < n_components, i < n, in device
/// memory. Do not record it in a graph, which would keep the t of the recording.
using PointFunction = std::function<void(double t, Vector<double> &values)>;

/// Returns the function that `text` gives (parse_function) at the points x_i with coordinates points[d n + i] in host
/// memory. On the host, muParser evaluates it on all threads. For the GPU, NVRTC compiles it in this call. Where that
/// fails, values are computed on the host and uploaded, and one line on std::cout says why and at what cost. Throws
/// InputError with `key` for a mistake in the text.
template <int dim>
PointFunction function_at_points(const Device &device, const std::string &key, const std::string &text,
                                 unsigned int n_components, const Array<double> &points);

/// A function of some numbers: it sets values[c n + i] = f_c(a_i, b_i, ...) for i < n, with both vectors in device
/// memory. `numbers` has all a_i, then all b_i, and so on.
using NumberFunction = std::function<void(const Vector<double> &numbers, Vector<double> &values)>;

/// Returns the function whose components `texts` give, in which one to four names stand for the numbers. It is
/// evaluated where and as the result of function_at_points is.
NumberFunction function_of_numbers(const Device &device, const std::string &key, const std::vector<std::string> &texts,
                                   const std::vector<std::string> &names);

/// Throws InputError on all ranks where one of them has a value that is NaN or infinite. `key` names the parameter that
/// gives the values. All ranks call it together.
void require_numbers(const Communicator &ranks, const std::string &key, const Array<double> &values);

/// A function of time at fixed points, together with its values at one time, in device memory.
class ValuesAtPoints
{
public:
  ValuesAtPoints() = default;
  /// A function that does not depend on time is evaluated once. `key` names the parameter that gives the function, if
  /// one does: then the first evaluation, which all ranks make together, throws InputError for values that are no
  /// numbers.
  ValuesAtPoints(const Device &device, std::size_t n_points, PointFunction function, bool depends_on_time = true,
                 std::string key = "")
    : function(std::move(function))
    , present(device, static_cast<int>(n_points))
    , depends_on_time(depends_on_time)
    , key(std::move(key))
  {}

  const Vector<double> &at(double t) ///< computes and returns the values at time t
  {
    if (depends_on_time || !computed)
      function(t, present);
    if (!computed && !key.empty())
      require_numbers(present.device().communicator(), key, to_host(present));
    computed = true;
    return present;
  }
  const Vector<double> &values() const { return present; } ///< the values that `at` has computed last

private:
  PointFunction  function;
  Vector<double> present;
  bool           depends_on_time = true, computed = false;
  std::string    key;
};

/// A functor for Device::for_each that sets target[i] = function(x_i) at n points. Point i has the coordinates d in
/// points[d * n + i], as support_points and quadrature_points return them. `function` takes `const double *x`, which
/// has dim coordinates.
template <int dim, class Function>
struct PointValues
{
  Function      function;
  const double *points;
  int           n;
  double       *target;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double x[dim];
    for (int d = 0; d < dim; ++d)
      x[d] = points[d * static_cast<long>(n) + i];
    target[i] = function(x);
  }
};

/// Sets values[i] = f(x_i) for n = values.size() points, all in device memory: points[d n + i] is coordinate d of x_i.
/// `f` takes a `const double *x` with x[0] to x[dim - 1]. For CUDA, a .cu file has to instantiate cuda::for_each with
/// PointValues<dim, F>.
template <int dim, class F>
void evaluate(const Device &device, const F &f, const Vector<double> &points, Vector<double> &values)
{
  device.for_each(values.size(), PointValues<dim, F>{f, points.data(), values.size(), values.data()});
}

/// Returns the function of t whose values at time t come from the functor at_time(t), which is as `evaluate` takes it.
/// The coordinates `points` are in host memory. This is the counterpart of function_at_points for compiled functions.
template <int dim, class AtTime>
ValuesAtPoints functor_at_points(const Device &device, const Array<double> &points, const AtTime &at_time)
{
  const auto on_device = std::make_shared<const Vector<double>>(device, points);
  return ValuesAtPoints(device, points.size() / dim, [device, on_device, at_time](double t, Vector<double> &values) {
    evaluate<dim>(device, at_time(t), *on_device, values);
  });
}
} // namespace adamant

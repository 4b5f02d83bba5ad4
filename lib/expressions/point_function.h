#pragma once

#include "expressions/expressions.h"
#include "base/exceptions.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#include "algebra/cuda/point_kernel.h"
#endif

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>

namespace adamant
{
/// A function of t at fixed points: sets values[c n + i] = f_c(t, x_i), c < n_components, i < n, where the backend's vectors
/// live. Not to be recorded in a graph: t is fixed when it is called.
template <class Backend>
using PointFunction = std::function<void(double t, typename Backend::Vector &values)>;

/// The function that `text` gives (parse_function) at the points x_i with coordinates points[d n + i] in host memory. On the
/// host muParser evaluates it, on all threads. For the GPU it is compiled now, by NVRTC; where that cannot be, it is evaluated
/// on the host and uploaded, and one line on std::cout says why and at what cost. Throws InputError with `key` for a mistake in
/// the text.
template <int dim, class Backend>
PointFunction<Backend> function_at_points([[maybe_unused]] const Backend &backend, const std::string &key,
                                          const std::string &text, unsigned int n_components,
                                          const Array<double> &points)
{
  using Vector                                              = typename Backend::Vector;
  const std::shared_ptr<dealii::FunctionParser<dim>> parsed = parse_function<dim>(key, text, n_components);
  if constexpr (!Backend::asynchronous)
    return [parsed, points](double t, Vector &values) { evaluate_at_points(*parsed, t, points, values.data()); };
#if ADAMANT_WITH_CUDA
  else
    {
      std::string why;
      try
        {
          const auto kernel =
            std::make_shared<CudaPointKernel>(backend.shared_context(), split_components(key, text, n_components), dim);
          const auto on_device = std::make_shared<Vector>(backend.create_vector(static_cast<int>(points.size())));
          backend.upload(points.data(), *on_device);
          return [kernel, on_device](double t, Vector &values) {
            (*kernel)(on_device->size() / dim, on_device->data(), t, values.data());
          };
        }
      catch (const RunError &reason)
        {
          why = reason.what();
        }
      const auto             on_host  = std::make_shared<Array<double>>(points.size() / dim * n_components);
      PointFunction<Backend> function = [backend, parsed, points, on_host](double t, Vector &values) {
        evaluate_at_points(*parsed, t, points, on_host->data());
        backend.upload(on_host->data(), values);
      };
      auto       values = backend.create_vector(static_cast<int>(on_host->size()));
      const auto start  = std::chrono::steady_clock::now();
      function(0., values);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::cout << key << " is evaluated on the host, " << elapsed.count() << " s and " << 8 * on_host->size()
                << " bytes to the GPU each time: " << why << std::endl;
      return function;
    }
#endif
}
} // namespace adamant

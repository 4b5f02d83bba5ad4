#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/array.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace adamant
{
/// Expressions of u, x, y, z and t at n fixed points, where u has a value at each of them. For the GPU, NVRTC compiles
/// them; on the host muParser evaluates on all threads what may have changed. Where NVRTC fails, the host does it for
/// the GPU, and one line on std::cout says why.
template <int dim>
class FunctionOfSolution
{
public:
  FunctionOfSolution() = default;
  /// At point i the function has the components text_of.at(region[i]); each text has equally many. Coordinate d of
  /// point i is points[d n + i], in host memory. `key` names the parameter in messages. Throws InputError for a text
  /// that is no expression.
  FunctionOfSolution(const Device &device, const std::string &key,
                     const std::map<unsigned int, std::vector<std::string>> &text_of, const Array<unsigned int> &region,
                     const Array<double> &points);

  /// Computes the values at time t from the value of u at each point.
  void evaluate(double t, const Vector<double> &u);
  /// Returns component c at point i in [c n + i], on the device.
  const Vector<double> &values() const { return result; }

private:
  struct Part // the points of one text
  {
    Vector<double> places; // coordinates of the points, then u
    Vector<double> values;
    Matrix<double> gather, scatter; // between all points and the part's; none where the part has all points
    /// Computes `values` at time t.
    std::function<void(double t, const Vector<double> &places, Vector<double> &values)> evaluate;
  };
  static Part make_part(const Device &device, const std::string &key, const std::vector<std::string> &texts,
                        const Array<int> &chosen, const Array<double> &points, bool all);

  Device            device;
  int               n = 0; // points
  std::vector<Part> parts;
  Vector<double>    result;
};

/// Throws InputError with `key` for a text that is no expression of u, x, y, z in 3D, and t.
void check_function_of_solution(const std::string &key, const std::string &text, unsigned int dim);
} // namespace adamant

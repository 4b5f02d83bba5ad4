#pragma once

#include "algebra/device.h"
#include "algebra/graph.h"
#include "support/devices.h"
#include "support/reference.h"

#include <string>
#include <utility>
#include <vector>

namespace adamant::test
{
/// Fixture of what a device computes, in both precisions.
template <class In>
class DeviceOperations : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  Vector<Number> upload(const Values &values) const { return to_device<Number>(this->device, values); }
  Vector<Number> unset(std::size_t n) const { return upload(Values(n, nan_value)); } // for outputs: reading it shows
  Matrix<Number> matrix(const CSRMatrix<double> &A, int node_size = 1) const
  {
    return Matrix<Number>(this->device, A, node_size);
  }

  static constexpr double tolerance = rounding<Number>;
};

struct Shape
{
  int  n_rows, n_cols;
  Rows rows;
};

/// Empty, single, odd, rectangular, and large enough for threads.
inline std::vector<Shape> shapes()
{
  std::vector<Shape> all;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const auto &[n, m] : {std::pair(0, 0), {1, 1}, {7, 3}, {3, 0}, {16, 16}, {17, 40}, {333, 100}, {9001, 8111}})
      all.push_back({n, m, rows});
  return all;
}

inline std::string name(const Shape &s)
{
  return std::to_string(s.n_rows) + " x " + std::to_string(s.n_cols) + (s.rows == Rows::equal ? "" : " irregular");
}

/// Nodes on a line, coupled by the same dense blocks everywhere but at both ends and in the middle. Every fifth node of
/// the second half has more neighbours, as beside hanging nodes. With `noise` > 0, values differ by rounding, as
/// assembly leaves them.
inline CSRMatrix<double> nodes_on_a_line(int nodes, int size, double noise)
{
  const int         n      = nodes * size;
  const Values      blocks = random_values(3 * size * size, 7), errors = random_values(9 * n, 8);
  CSRMatrix<double> A;
  A.n_rows = A.n_cols = n;
  A.row_start.assign(n + 1, 0);
  for (int row = 0; row < n; ++row)
    {
      const int node = row / size;
      for (int k = 0, offset = -1; k < (node > nodes / 2 && node % 5 == 0 ? 12 : 3); ++k, offset = k - 1)
        for (int c = 0; c < size && node + offset >= 0 && node + offset < nodes; ++c)
          {
            const double block = blocks[(k % 3 * size + row % size) * size + c];
            A.column.push_back((node + offset) * size + c);
            A.value.push_back(node == nodes / 2 ? 2. * block :
                                                  block * (1. + noise * errors[(row + c) % errors.size()]));
          }
      A.row_start[row + 1] = A.column.size();
    }
  return A;
}
} // namespace adamant::test

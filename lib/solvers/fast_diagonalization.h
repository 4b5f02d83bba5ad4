#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/host_device.h"

#include <array>
#include <cmath>
#include <vector>

namespace adamant
{
/// One direction of a tensor-product mesh: the eigenvectors V of K v = λ M v, VᵀMV = I, of its one-dimensional
/// stiffness and mass matrices; V row-major n x n.
struct Eigenpairs
{
  int           n = 0;
  Array<double> value, vectors;
};

/// y = V x or Vᵀ x along one direction of a tensor of nodes: index (a n + i) * inner + b.
struct ApplyAlong
{
  int           n, inner;
  bool          transposed;
  const double *V, *x;
  double       *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int b = index % inner, i = index / inner % n, first = (index / inner - i) * inner + b;
    double    sum = 0;
    for (int j = 0; j < n; ++j)
      sum += (transposed ? V[j * n + i] : V[i * n + j]) * x[first + j * inner];
    y[index] = sum;
  }
};

/// x /= λ_i + μ_j + ..., which is what the matrix is between the transforms; zero eigenvalues give zero.
struct DivideByEigenvalues
{
  int           n[3];
  const double *value[3];
  double        zero; // eigenvalues up to this are the constants'
  double       *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    i = index % n[0], j = index / n[0] % n[1], k = index / n[0] / n[1];
    const double sum = value[0][i] + value[1][j] + value[2][k];
    x[index]         = sum > zero ? x[index] / sum : 0.;
  }
};

/// Fast diagonalization (Lynch, Rice & Thomas 1964): the exact inverse of the Laplacian of Q1 elements on a tensor
/// product of one-dimensional meshes with natural boundary conditions, nodes numbered along lines of the first; the
/// pseudo-inverse for constants.
class FastDiagonalization
{
public:
  /// Two or three directions, that of nodes following each other first.
  FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions)
    : device(device)
  {
    for (std::size_t d = 0; d < 3; ++d)
      {
        Eigenpairs  trivial{1, Array<double>(1, 0.), Array<double>(1, 1.)};
        const auto &pairs = d < directions.size() ? directions[d] : trivial;
        n[d]              = pairs.n;
        V[d]              = Vector<double>(device, pairs.vectors);
        value[d]          = Vector<double>(device, pairs.value);
        if (d < directions.size())
          zero += 1e-12 * pairs.value[pairs.n - 1];
      }
    for (auto &vector : work)
      vector = Vector<double>(device, n[0] * n[1] * n[2]);
  }

  /// x = A⁻¹ b.
  void solve(const Vector<double> &b, Vector<double> &x)
  {
    const double *from     = b.data();
    const int     inner[3] = {1, n[0], n[0] * n[1]}, size = x.size();
    for (int d = 0; d < 3; ++d)
      if (n[d] > 1)
        {
          double *to = from == work[0].data() ? work[1].data() : work[0].data();
          device.for_each(size, ApplyAlong{n[d], inner[d], true, V[d].data(), from, to});
          from = to;
        }
    double *middle = from == work[0].data() ? work[0].data() : work[1].data();
    device.for_each(
      size, DivideByEigenvalues{{n[0], n[1], n[2]}, {value[0].data(), value[1].data(), value[2].data()}, zero, middle});
    for (int d = 0; d < 3; ++d)
      if (n[d] > 1)
        {
          const bool last = d == 2 || n[d + 1] == 1;
          double    *to   = last ? x.data() : from == work[0].data() ? work[1].data() : work[0].data();
          device.for_each(size, ApplyAlong{n[d], inner[d], false, V[d].data(), from, to});
          from = to;
        }
  }

private:
  Device         device;
  int            n[3];
  double         zero = 0;
  Vector<double> V[3], value[3], work[2];
};
} // namespace adamant

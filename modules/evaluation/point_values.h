#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "fem/spaces/field.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Puts into s[k] the share of DoF i in number k at a point; see point_matrix.
template <int dim>
using Shares = std::function<void(const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &s)>;

/// Returns the matrix that computes n_values numbers at each point, such as stresses, from nodal values. Number k at
/// point p is in row p n_values + k. For each DoF i of the point's cell, shares(values, i, s) puts into s[k] the share
/// of the DoF in number k. Before the call s is zero, and `values` has the data of `flags` for the cell at the point.
///
/// Each rank has a row for every point, so sums over ranks are the values. The row is empty except on one rank that has
/// a cell with the point; at the border of cells one cell counts. Throws InputError, which names the parameter `key`
/// and the point, where a point lies in no cell. All ranks call it together.
template <int dim>
CSRMatrix<double> point_matrix(const std::string &key, const LevelSpace<dim> &space,
                               const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                               unsigned int n_values, dealii::UpdateFlags flags, const Shares<dim> &shares);

/// Returns the matrix that evaluates the function itself: row p n_components + c gives component c at point p.
template <int dim>
CSRMatrix<double> evaluation_matrix(const std::string &key, const LevelSpace<dim> &space,
                                    const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                                    unsigned int n_components);

/// Evaluates functions of a field at points: one sparse product on the device.
class PointEvaluation
{
public:
  PointEvaluation() = default; ///< at no points
  /// Prepares the evaluation of the first n_components components. `points` have dim coordinates or more each. Throws
  /// InputError, naming the parameter `key` and the point, where a point lies outside the mesh.
  template <int dim>
  PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                  const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                  unsigned int n_components);
  /// Evaluates by the rows of `matrix`, see point_matrix.
  PointEvaluation(const Device &device, const CSRMatrix<double> &matrix)
    : device(device)
    , N(device, matrix)
    , own(device, 2 * N.n_rows())
  {}

  bool empty() const { return N.n_rows() == 0; }
  /// Returns the values of the function with nodal values u: entry p n_components + c is component c at point p. All
  /// ranks call it together and get all values.
  std::vector<double> operator()(const Vector<double> &u) const
  {
    evaluate(u, 0);
    device.synchronize();
    return values(0);
  }
  /// Launches the evaluation for `place` 0 or 1; values() returns its result later.
  void evaluate(const Vector<double> &u, int place) const;
  /// Returns the result of evaluate() with this place; first wait for a Mark that was set after that call.
  std::vector<double> values(int place) const;

private:
  Device         device;
  Matrix<double> N;
  Scalars        own; // this rank's values, in both places; each point belongs to one rank
};

/// Evaluates scalar functions at points, from the values at a rank's own nodes of one space. All ranks call it together
/// and get all values.
class HostPointEvaluation
{
public:
  HostPointEvaluation() = default; ///< at no points
  /// Throws InputError, naming the parameter `key` and the point, where one lies in no cell.
  template <int dim>
  HostPointEvaluation(const std::string &key, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                      const std::vector<dealii::Point<dim>> &points);

  /// Evaluates by the rows of `matrix`: a point's row is filled on one rank and empty on the others (see point_matrix).
  HostPointEvaluation(const Communicator &ranks, CSRMatrix<double> matrix)
    : ranks(ranks)
    , matrix(std::move(matrix))
  {}

  bool                empty() const { return matrix.n_rows == 0; }
  std::vector<double> operator()(const Array<double> &nodal) const;
  PointEvaluation on(const Device &device) const { return {device, matrix}; } ///< returns the same for vectors there

private:
  Communicator      ranks;
  CSRMatrix<double> matrix;
};

/// Returns the points whose first dim coordinates are given.
template <int dim>
std::vector<dealii::Point<dim>> points_of(const std::vector<std::vector<double>> &coordinates);
} // namespace adamant

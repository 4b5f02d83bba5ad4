#pragma once

#include "algebra/device.h"
#include "base/csr/csr_matrix.h"
#include "base/run_record.h"
#include "fem/spaces/field.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Evaluates functions of a field at points: one sparse product on the device.
class PointEvaluation
{
public:
  PointEvaluation() = default;
  /// Prepares the evaluation of the first n_components components. `points` have dim coordinates or more each. Throws
  /// InputError, naming the parameter `key` and the point, where a point lies outside the mesh.
  template <int dim>
  PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                  const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                  unsigned int n_components);

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

  /// Evaluates by the rows of `matrix`: a point's row is filled on one rank and empty on the others (points.h).
  HostPointEvaluation(const Communicator &ranks, CSRMatrix<double> matrix)
    : ranks(ranks)
    , matrix(std::move(matrix))
  {}

  bool                empty() const { return matrix.n_rows == 0; }
  std::vector<double> operator()(const Array<double> &nodal) const;

private:
  Communicator      ranks;
  CSRMatrix<double> matrix;
};

/// Returns the points whose first dim coordinates are given.
template <int dim>
std::vector<dealii::Point<dim>> points_of(const std::vector<std::vector<double>> &coordinates);

/// Returns n points on the line from (ends[0], ..., ends[dim-1]) to (ends[dim], ...), ends included.
template <int dim>
std::vector<dealii::Point<dim>> points_of_line(const std::vector<double> &ends, unsigned int n);

/// A function's values at the points of a line.
struct ProfileColumn
{
  std::string         name;
  std::vector<double> values;
  bool                extremes; ///< whether the extremes are recorded
};

/// Writes coordinates and columns of line k as `folder/profile_k.csv`. Puts the extremes and their places into
/// record["profiles"][k][name]. All ranks pass equal values; one of them passes `writes` = true.
template <int dim>
void write_profile(std::size_t k, const std::vector<dealii::Point<dim>> &points,
                   const std::vector<ProfileColumn> &columns, const std::string &folder, bool writes,
                   RunRecord &record);

/// Lines along which the last state of scalar functions is sampled.
template <int dim>
class Profiles
{
public:
  /// Each line is given by the coordinates of its first and of its last point, and has n_points, ends included.
  Profiles(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
           const std::vector<std::vector<double>> &lines, unsigned int n_points);

  struct Function
  {
    std::string   name;
    Array<double> nodal;
    bool          extremes; ///< whether the extremes are recorded
  };
  /// Calls write_profile for each line.
  void write(const std::vector<Function> &functions, const std::string &folder, RunRecord &record) const;

private:
  struct Line
  {
    std::vector<dealii::Point<dim>> points;
    HostPointEvaluation             evaluation;
  };
  Communicator      ranks;
  std::vector<Line> lines;
};
} // namespace adamant

#pragma once

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/grid/tria.h>

#include <string>
#include <vector>

namespace adamant
{
/// The mesh of a box (0,L_x) x (0,L_y) x (0,L_z), or of a rectangle, and how it is refined, as parameters of any
/// section.
struct BoxParameters : dealii::ParameterAcceptor
{
  explicit BoxParameters(const std::string &section = "/Discretization"); ///< as ParameterAcceptor has it

  std::vector<double>       lengths             = {1., 1., 1.};
  std::vector<unsigned int> coarse_cells        = {1, 1, 1};
  unsigned int              uniform_refinements = 3, refinement_steps = 2;
  std::string               refinement      = "edge", coordinates;
  double                    refine_fraction = 0.1;

  bool by_estimate() const { return refinement == "kelly"; } ///< then refinement_steps follow `make`

  /// Throws InputError unless there is a positive length and number of cells for each dimension, and the unknowns of
  /// n_components components of elements of this degree can be counted, as far as uniform refinement makes them.
  void check(unsigned int dim, unsigned int n_components, unsigned int degree) const;
  /// Whether the point has dim coordinates or more, and lies in the box or on its boundary; with
  /// coordinates of its own, that is not known.
  bool contains(const std::vector<double> &point, unsigned int dim) const;

  /// The mesh, from an empty one; sides have the boundary ids 0, 1 (x), 2, 3 (y), 4, 5 (z).
  template <int dim>
  void make(dealii::Triangulation<dim> &mesh) const;

private:
  std::string section;
};

/// Step l = 1, ..., n_steps refines the cells whose centre has its first n_coordinates coordinates below 2^-l times the
/// length of the box: 1 towards a face, 2 an edge, 3 a vertex (Liebchen et al., Section 5.2); all cells where
/// n_coordinates is 0.
template <int dim>
void refine_towards_origin(dealii::Triangulation<dim> &mesh, const std::vector<double> &lengths,
                           unsigned int n_coordinates, unsigned int n_steps);
} // namespace adamant

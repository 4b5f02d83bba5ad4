#pragma once

#include "fem/forms/cell_context.h"
#include "fem/spaces/field.h"

#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace adamant
{
/// Elastic foundations: on some boundaries the traction is -k u, or -k_n (u . n) n - k_t (u - (u . n) n) with the
/// normal n. The stiffness by area is an expression of x, y, z, or two of them: k_n; k_t.
template <int dim>
class Springs
{
public:
  /// Finds the faces on all levels. `text_of` has the stiffness by boundary; with `axial` symmetry integrals have the
  /// factor 2 pi r. All ranks call it together. Throws InputError for a stiffness that is negative or no number.
  Springs(const Field<dim> &field, const dealii::Mapping<dim> &mapping,
          const std::map<unsigned int, std::string> &text_of, bool axial);

  bool empty() const { return levels.empty(); }

  /// Returns the integrals of a cell's faces for two nodes, entry [c][d] for their components; a and b are the shape
  /// functions of the nodes' first components.
  dealii::Tensor<2, dim> stiffness(const CellContext<dim> &cell, unsigned int a, unsigned int b) const;

  /// Adds the work of the springs of a level, ∫ u_k . k u_l, to the entries [k n + l] for n vector fields. The
  /// stiffness counts relative to the largest one. The fields have the values at the local DoFs. All ranks call it
  /// together.
  void add_products(const LevelSpace<dim> &space, std::size_t level, const std::vector<Array<double>> &u,
                    Array<double> &products) const;

private:
  struct FacePoint
  {
    std::vector<double>    shape; // of the nodes
    dealii::Tensor<2, dim> k;     // with the weight of the point
  };
  using OfCells = std::unordered_map<int, std::vector<FacePoint>>;

  std::vector<OfCells> levels; // by cell number; no levels where there are no springs
};

/// Throws InputError for a text that is no stiffness, in `dim` dimensions.
void check_springs(const std::string &key, const std::string &text, unsigned int dim);
} // namespace adamant

#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "cells/products.h"
#include "coefficients/coarser_values.h"
#include "coefficients/coefficient.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "frame/unknown.h"
#include "scalar/boundary_faces.h"
#include "scalar/function_of_solution.h"
#include "scalar/nonlinear_kernels.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// The terms of c ∂_t u - div(k ∇u) = f with the flux k ∂_n u = q on boundaries. All are expressions of u, x, y, z, t.
struct NonlinearTerms
{
  Coefficient                         conductivity, capacity, source; ///< k, c, f
  std::map<unsigned int, std::string> flux;                           ///< q by boundary
  std::map<unsigned int, std::string> exchange; ///< α where q = -α (u - u_out): Picard's matrix keeps it

  /// Makes the source for which an expression of x, y, z and t solves the equation, by differentiation.
  void manufacture(const std::string &exact, unsigned int dim);
};

/// Residual and Jacobian of an implicit time step of such an equation,
///   F_i(u) = ∫ (c w - dt f) φ_i + dt ∫ k ∇u . ∇φ_i - dt ∫_Γ q φ_i,
/// where w = a0 u + a1 u1 + ... is the difference of solutions that stands for dt ∂_t u. Derivatives with respect to u
/// come from the texts. On coarser levels u has the values of the finest one at the nodes. All ranks call all functions
/// together.
template <int dim>
class NonlinearEquation
{
public:
  /// `unknown` and `mapping` have to outlive the object. With `newton` the Jacobian has all derivatives. Else it is
  /// Picard's matrix, which takes the terms for constant. Levels that `products` multiply by cells have the terms'
  /// means in each cell in place of their values at points. They need degree 1, and lack the terms of faces.
  NonlinearEquation(const Device &device, Unknown<dim> &unknown, const dealii::Mapping<dim> &mapping,
                    const NonlinearTerms &terms, bool newton, Products products = Products::rows);

  /// Throws InputError where terms of the last linearize() have values that are no numbers, and for negative k or c.
  void check_terms(const NonlinearTerms &terms) const;
  /// Computes r = -F for the nodal values u and w, at time t.
  void residual(double t, double dt, const Vector<double> &u, const Vector<double> &w, Vector<double> &r);
  /// Computes the Jacobian on all levels.
  void       linearize(double t, double dt, double a0, const Vector<double> &u, const Vector<double> &w);
  Form<dim> &jacobian() { return *J; }

private:
  // Values at the points of one or of all levels.
  struct AtPoints
  {
    FunctionOfSolution<dim> terms;
    Vector<double>          u, gradient, w;

    AtPoints(const Device &device, int n)
      : u(device, n)
      , gradient(device, to_index(std::size_t(dim) * n, "gradients at points"))
      , w(device, n)
    {}
  };
  struct Faces // of one level
  {
    BoundaryFaces<dim>      faces;
    Matrix<double>          evaluation;
    FunctionOfSolution<dim> function; // -q' for the Jacobian, q for the residual
    Vector<double>          u;
  };
  void  list_points(const NonlinearTerms &terms);
  Faces make_faces(std::size_t level, const std::map<unsigned int, std::string> &text_of) const;
  void  store(std::size_t level, AtPoints &at, int first, bool difference) const;

  const Device                    &device;
  Unknown<dim>                    &unknown;
  const dealii::Mapping<dim>      &mapping;
  const bool                       newton, capacity_of_u; // only then J needs w
  InjectedValues<dim>              on_levels;             // of u, and then of w
  std::vector<QuadratureData<dim>> levels;
  std::vector<int>                 first_point; // of each level, and the end
  std::unique_ptr<AtPoints>        all, finest;
  std::vector<Faces>               faces; // of all levels
  std::unique_ptr<Faces>           flux;  // of the finest one
  std::unique_ptr<Form<dim>>       J;

  std::vector<std::shared_ptr<CellMatrix>> by_cells;       // by level; null where J has rows
  Matrix<double>                           S, load;        // integrals of values times φ_i, in cells and on faces
  std::vector<Matrix<double>>              S_slope;        // times ∂_d φ_i
  Vector<double>                           density, means; // means: of one level's cells
};
} // namespace adamant

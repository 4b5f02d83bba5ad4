#pragma once

#include "parameters.h"

#include "base/run_record.h"
#include "evaluation/evaluation.h"
#include "fem/spaces/level_space.h"
#include "frame/run_folder.h"
#include "solid/finite_deformation.h"
#include "solid/reactions.h"
#include "solid/solid_results.h"

#include <deal.II/fe/mapping.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace solid
{
/// What statistics.csv and run.json tell of a state.
template <int dim>
class Results
{
public:
  /// All arguments have to outlive the object, but `load`, the dead load on all DoFs at load factor 1.
  Results(const Device &device, const Parameters &parameters, const OfEntries<SolidEnergy> &energies,
          const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, FiniteDeformation<dim> &deformation,
          const Array<double> &load)
    : parameters(parameters)
    , energies(energies)
    , deformation(deformation)
    , reactions(device, space, mapping, held(space.element()), load)
    , projected(deformation.projected() ? std::make_shared<ProjectedValues<dim>>(space, mapping) : nullptr)
    , evaluation(parameters.output, mapping, std::vector<EvaluatedField<dim>>{{&space, names()}},
                 solid_quantities<dim>(energies, projected))
  {}

  /// Adds columns of the last residual's state, of displacement u under factor times the load, to a row of the
  /// statistics.
  void add_to(Statistics::Row &row, double work_of_load, double factor, const Vector<double> &u)
  {
    const SolidResults results = deformation.results();
    row.insert(row.end(), {{"strain_energy", results.energy},
                           {"work_of_load", work_of_load},
                           {"volume", results.volume},
                           {"least_J", results.least_J},
                           {"largest_J", results.most_J}});
    for (const auto &[id, resultant] : reactions.resultants(deformation.forces_of_cells(), factor, u))
      {
        const std::string name = "boundary" + std::to_string(id);
        for (int d = 0; d < dim; ++d)
          row.emplace_back(name + "_force_" + "xyz"[d], resultant.force[d]);
        for (int d = dim == 2 ? 2 : 0; d < 3; ++d)
          row.emplace_back(name + "_moment_" + "xyz"[d], resultant.moment[d]);
      }
    if (deformation.projected())
      row.emplace_back("residual_of_dilatation", deformation.residual_of_dilatation());
    if (!parameters.output.statistics.empty())
      take_projected();
    evaluation.add_to(row, u);
  }

  /// Adds columns of a motion to a row of the statistics.
  void add_to(Statistics::Row &row, const MotionResults &motion) const
  {
    row.emplace_back("kinetic_energy", motion.kinetic_energy);
    for (int d = 0; d < dim; ++d)
      row.emplace_back(std::string("momentum_") + "xyz"[d], motion.momentum[d]);
    for (int d = dim == 2 ? 2 : 0; d < 3; ++d)
      row.emplace_back(std::string("angular_momentum_") + "xyz"[d], motion.angular_momentum[d]);
  }

  /// Prints a note where the energy of the last residual's state is the wrong one for it.
  void note_on_compression() const
  {
    const auto gives_way = [](const StoredEnergy &energy) { return energy.kind == StoredEnergy::st_venant_kirchhoff; };
    if (largest(energies, gives_way) == 0.)
      return;
    const double least =
      deformation.least_principal_stretch([&](unsigned int material) { return gives_way(energies.in(material)); });
    if (least < 0.6)
      std::cout << "note: J or a principal stretch is " << least
                << " somewhere: st_venant_kirchhoff has no stiffness against inversion; take neo_hooke_compressible"
                << std::endl;
  }

  /// Adds results of the state to the record.
  void add_to(RunRecord &record, const Array<double> &u, const std::string &folder)
  {
    const SolidResults results = deformation.results();
    record["strain_energy"]    = results.energy;
    record["least_J"]          = results.least_J;
    note_on_compression();
    take_projected();
    evaluation.add_to(record, {u.data()}, folder);
  }

private:
  void take_projected()
  {
    if (projected)
      projected->set(deformation);
  }

  // Returns what is prescribed. A box in two dimensions lacks boundaries that the usual value names.
  DirichletBoundary held(const dealii::FiniteElement<dim> &element) const
  {
    auto ids = parameters.problem.boundaries.dirichlet;
    if (!parameters.mesh.given())
      ids.erase(ids.lower_bound(2 * dim), ids.end());
    auto held           = prescribed_axes(ids, element);
    held.mapping_degree = parameters.discretization.degree; // which the program's mapping has
    return held;
  }

  static std::vector<std::string> names()
  {
    const std::vector<std::string> all = {"u_x", "u_y", "u_z"};
    return {all.begin(), all.begin() + dim};
  }

  const Parameters                           &parameters;
  const OfEntries<SolidEnergy>               &energies;
  FiniteDeformation<dim>                     &deformation;
  const Reactions<dim>                        reactions;
  const std::shared_ptr<ProjectedValues<dim>> projected; // null: dilatations are not projected
  Evaluation<dim>                             evaluation;
};
} // namespace solid

#include "frame/time_dependent_problem.h"

#include "base/exceptions.h"
#include "fem/forms/form.h"
#include "fem/forms/integrals.h"
#include "fem/meshes/stored_mesh.h"
#include "fem/spaces/field.h"
#include "fem/spaces/mesh_change.h"
#include "frame/output/output.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>

#include <iostream>
#include <optional>
#include <sstream>

namespace adamant
{
template <int dim>
TimeDependentProblem<dim>::TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule,
                                                const AdaptivityOptions &adaptivity, unsigned int mapping_degree,
                                                const Shape &manifolds)
  : device(device)
  , record(run.record)
  , schedule(schedule)
  , mesh(create_mesh<dim>(run.ranks, run.distributed_mesh))
  , mapping(mapping_degree)
  , run_info(run)
  , timer(run.timer)
  , adaptivity(adaptivity, mapping)
  , manifolds(manifolds)
  , series(std::make_unique<TimeSeries>(run.folder(), "solution", run.ranks))
{}

template <int dim>
TimeDependentProblem<dim>::~TimeDependentProblem() = default;

template <int dim>
void TimeDependentProblem<dim>::run()
{
  // However the run ends: what is written beside it reads fields that the program is about to destroy.
  const std::shared_ptr<void> at_the_end(nullptr, [this](std::nullptr_t) { series->join(); });
  begin();
  if (run_info.is_dry())
    std::cout << mesh_parts(run_info.mesh_file);
  run_info.begin_time_loop(step, schedule.n_steps, true);
  if (run_info.continues()) // and nothing has refused that
    series->cut();
  const auto launch = [this] {
    const PendingResult result = advance();
    timed("solve", [this] { device.launch_waiting(); }); // what is still to be launched counts as the solve
    return result;
  };
  bool overlaps = false; // whether the last step went on beside the host: where the host waits, nothing is put off
  while (step < schedule.n_steps && !finished())
    {
      if (adaptivity.due(step))
        change_mesh(); // here, so that a run that is continued does what one without interruption does
      ++step;
      time = next_time();
      PendingResult result;
      try
        {
          result = overlaps ? device.together(launch) : advance();
        }
      catch (const InputError &) // data of this step; the one before has its row of statistics, or its own error
        {
          end_step();
          throw;
        }
      overlaps = !result.known();
      end_step(); // the one before, while this one runs
      under_way = {step, time, result};
      if (waits())
        end_step();
      write_output();
      write_checkpoint();
    }
  end_step();
  wait_for_output();
  device.synchronize();
  run_info.end_time_loop();
  timed("output", [this] { report(); });
  if (described != nullptr)
    run_info.measure(*described);
  if (adaptivity.options.on())
    {
      record["remeshes"]           = adaptivity.n_changes;
      record["remesh_mass_change"] = adaptivity.mass_change;
    }
  if (device.traits().beside_host)
    record["timings"]["output beside"] = series->seconds_beside();
}

// Whether this step has to end before the next one is launched: for its files, or because it has ended.
template <int dim>
bool TimeDependentProblem<dim>::waits() const
{
  const bool last       = step == schedule.n_steps || finished();
  const bool checkpoint = run_info.checkpoint_due(step, last); // in each step, on all ranks
  return checkpoint || !device.traits().beside_host || under_way.result.known() || last || output_due() ||
         adaptivity.due(step) || (statistics_wait() && due(schedule.statistics_interval));
}

// Waits for the step that is under way, and tells how it has ended.
template <int dim>
void TimeDependentProblem<dim>::end_step()
{
  if (under_way.number == 0)
    return;
  std::swap(step, under_way.number);
  std::swap(time, under_way.time);
  std::optional<Section> scope;
  if (!under_way.result.known())
    scope.emplace(timer, "solve");
  const SolverResult result = under_way.result.wait();
  scope.reset();
  if (due(schedule.statistics_interval))
    {
      Statistics::Row row{{"step", step},
                          {"time", time},
                          {"iterations", result.iterations},
                          {"initial_residual", result.initial_residual},
                          {"residual", result.final_residual}};
      if (adaptivity.options.on())
        row.insert(row.end(), {{"cells", record.at("cells")}, {"dofs", record.at("dofs")}});
      timed("statistics", [&] { add_statistics(row); });
      run_info.statistics.add(row);
    }
  std::string size;
  if (adaptivity.options.on())
    size = "cells " + record.at("cells").dump() + "  unknowns " + record.at("dofs").dump();
  run_info.progress(step, schedule.n_steps, time, result.iterations, result.final_residual, size);
  std::swap(step, under_way.number);
  std::swap(time, under_way.time);
  under_way = {};
}

template <int dim>
void TimeDependentProblem<dim>::begin()
{
  if (run_info.continues())
    return load(run_info.checkpoint().archive());
  timed("init/mesh", [this] { make_mesh(); });
  adapt_mesh();
  adaptivity.begin(*mesh);
  for (unsigned int cycle = 0;; ++cycle)
    {
      set_up_on_mesh();
      timed("init/initial values", [this] { set_initial_values(); });
      if (cycle == adaptivity.options.first_cycles || !adapt_to_initial_values())
        break;
    }
  run_info.begin_output();
  schedule.initial_output |= run_info.is_dry(); // in place of a stationary run's files
  write_output();
}

template <int dim>
void TimeDependentProblem<dim>::set_up_on_mesh()
{
  outputs.clear();
  snapshots.clear();
  check_mapping();
  setup();
}

template <int dim>
bool TimeDependentProblem<dim>::adapt_to_initial_values()
{
  const Section scope(timer, "init/mesh");
  adaptivity.flag(*mesh, adaptivity.indicators(followed(adaptivity.options.field)));
  MeshChange<dim> change(*mesh);
  if (!change.any())
    return false;
  change.execute();
  return true;
}

template <int dim>
void TimeDependentProblem<dim>::change_mesh()
{
  const Section     whole(timer, "remesh");
  std::stringstream former;
  const auto        field      = [this] { return followed(adaptivity.options.field); };
  const auto        mass_now   = [&] { return timed("remesh/mass", [&] { return adaptivity.mass(field()); }); };
  const auto        flag_cells = [&] {
    const Section scope(timer, "remesh/estimate");
    const auto    indicators = adaptivity.indicators(field());
    if (!adaptivity.wants_change(step, *mesh, indicators))
      return false;
    if (may_refuse_mesh())
      save(*std::make_unique<CheckpointWriter::Archive>(former));
    adaptivity.flag(*mesh, indicators);
    return true;
  };
  try
    {
      if (!flag_cells())
        return;
      MeshChange<dim> change(*mesh);
      if (!change.any())
        return;
      wait_for_output(); // it reads the mesh
      const auto before = mass_now();
      timer.remeshing   = true;
      set_up_anew(change);
      adaptivity.count_change(before, mass_now());
    }
  catch (const SolverError &error)
    {
      if (!may_refuse_mesh())
        throw;
      std::istringstream        saved(device.communicator().first_text(former.str())); // which the first rank has
      CheckpointReader::Archive archive(saved);
      load(archive);
      std::cout << "note: the mesh after step " << step << " stays as it was: " << error.what() << std::endl;
    }
  catch (const InputError &error)
    {
      throw InputError("on the mesh after step " + std::to_string(step) + ": " + error.what());
    }
  timer.remeshing = false;
}

// All on the new mesh, with what serialize() keeps.
template <int dim>
void TimeDependentProblem<dim>::set_up_anew(MeshChange<dim> &change)
{
  std::stringstream scalars;
  {
    Section                   scope(timer, "remesh/transfer");
    CheckpointWriter::Archive archive(scalars);
    State                     state(archive, &change);
    serialize(state);
    change.prepare();
  }
  timed("remesh/refinement", [&change] { change.execute(); });
  set_up_on_mesh();
  Section                   scope(timer, "remesh/transfer");
  CheckpointReader::Archive archive(scalars);
  State                     state(archive, &change);
  serialize(state);
}

template <int dim>
void TimeDependentProblem<dim>::serialize_all(State &state)
{
  state.scalar(step);
  state.scalar(time);
  state.scalar(*series);
  serialize(state);
}

template <int dim>
void TimeDependentProblem<dim>::write_last_state()
{
  begin_output();    // a continued run has perhaps taken no step
  if (!output_due()) // or it has been written
    {
      schedule.n_steps = step;
      write_output();
    }
  wait_for_output();
  if (run_info.checkpoint_due(step, true))
    write_checkpoint();
}

template <int dim>
void TimeDependentProblem<dim>::write_checkpoint()
{
  if (finished()) // which the end of the step has told
    run_info.checkpoint_due(step, true);
  run_info.write_checkpoint(step, time, [this](CheckpointWriter::Archive &archive) { save(archive); });
}

template <int dim>
void TimeDependentProblem<dim>::save(CheckpointWriter::Archive &archive)
{
  const StoredMesh<dim> stored(*mesh);
  archive << stored << adaptivity; // of the adaptivity how far it refines
  State state(archive);
  serialize_all(state);
}

template <int dim>
void TimeDependentProblem<dim>::load(CheckpointReader::Archive &archive)
{
  mesh->clear();
  shape = is_distributed(*mesh) || adaptivity.options.on() || mapping.get_degree() > 1 ? manifolds() : nullptr;
  StoredMesh<dim> stored(*mesh, shape.get(), join_periodic);
  archive >> stored >> adaptivity;
  set_up_on_mesh();
  State state(archive);
  serialize_all(state);
}

template <int dim>
void TimeDependentProblem<dim>::wait_for_output()
{
  if (!snapshots.empty()) // else nothing has been written
    timed("output", [this] { series->wait(); });
}

template <int dim>
void TimeDependentProblem<dim>::write_output()
{
  if (!output_due())
    return;
  wait_for_output();
  {
    Section    scope(timer, "copy");
    const auto vectors = output_vectors();
    for (std::size_t i = 0; i < vectors.size(); ++i)
      {
        if (snapshots.size() == i)
          snapshots.emplace_back(device, vectors[i]->size());
        snapshots[i].take(*vectors[i]);
      }
  }
  Section scope(timer, "output");
  series->start(
    [this, t = time] {
      std::vector<const double *> values;
      for (const auto &snapshot : snapshots)
        values.push_back(snapshot.values());
      output_time = t;
      write(*series, t, values);
    },
    device.traits().beside_host);
}

template <int dim>
void TimeDependentProblem<dim>::describe(const Field<dim> &field, const Form<dim> &form, const LinearSolver &solver,
                                         const LinearSolverParameters &parameters, unsigned int extrapolation_order)
{
  const std::size_t n_cells = mesh->n_global_active_cells(), n_unknowns = field.finest().n_global_dofs();
  if (step == 0) // later the mesh changes from step to step
    std::cout << n_cells << " cells, " << n_unknowns << " unknowns, " << field.n_levels() << " levels\n" << solver;
  std::vector<LevelData> levels(field.n_levels()); // by their matrices alone: the rest may be gone
  for (std::size_t level = 0; level < levels.size(); ++level)
    levels[level].values = form.level(level).values;
  describe({n_unknowns, n_cells, levels, parameters, extrapolation_order}, &solver);
}

template <int dim>
void TimeDependentProblem<dim>::describe(const Unknown<dim> &unknown, const Form<dim> &form, const LinearSolver &solver,
                                         unsigned int extrapolation_order)
{
  describe(unknown.field(), form, solver, unknown.parameters, extrapolation_order);
}

template <int dim>
void TimeDependentProblem<dim>::describe(const RunSize &size, const LinearSolver *solver)
{
  run_info.describe(size);
  described = solver;
  if (solver != nullptr)
    record["coarse_solver"] = solver->preconditioner().coarse_solver();
}

template <int dim>
std::string TimeDependentProblem<dim>::folder() const
{
  return run_info.folder();
}

template <int dim>
std::string TimeDependentProblem<dim>::begin_output()
{
  run_info.begin_output();
  return folder();
}

template <int dim>
LevelMeshOptions TimeDependentProblem<dim>::level_mesh_options(const LinearSolverParameters     &parameters,
                                                               const dealii::FiniteElement<dim> &element,
                                                               unsigned int                      coarsest_cells) const
{
  parameters.require_ranks(run_info.ranks.size());
  return {parameters.preconditioner == "trilinos_amg" ? finest_level_only :
          coarsest_cells > 0                          ? coarsest_cells :
                                                        parameters.coarsest_cells,
          run_info.cells_per_rank(element.n_dofs_per_cell()), parameters.coarsest_on_one_rank()};
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u)
{
  show(field, u, [name = field.name()](auto &output, const auto &space, const double *values) {
    output.add(space, values, name);
  }).components[field.name()] = {};
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u,
                                           const std::vector<std::string> &names, const std::vector<double> &factors)
{
  auto &output = show(field, u, [names, factors](auto &data, const auto &space, const double *values) {
    data.add_vectors(space, values, names, factors);
  });
  for (std::size_t i = 0; i < names.size(); ++i)
    {
      dealii::ComponentMask of_name(field.element().n_components(), false);
      for (int c = 0; c < dim; ++c)
        of_name.set(i * dim + c, true);
      output.components[names[i]] = of_name;
    }
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u,
                                           const std::shared_ptr<const dealii::DataPostprocessor<dim>> &postprocessor)
{
  if (!postprocessor->get_names().empty())
    show(field, u, [postprocessor](auto &output, const auto &space, const double *values) {
      output.add(space, values, *postprocessor);
    });
}

template <int dim>
FollowedField<dim> TimeDependentProblem<dim>::followed(const std::string &name) const
{
  for (const auto &output : outputs)
    if (const auto found = output.components.find(name); found != output.components.end())
      return {&output.field->finest(), output.u, found->second};
  throw RunError("the mesh is to follow " + name + ", which is not among the fields that are written");
}

template <int dim>
void TimeDependentProblem<dim>::write(TimeSeries &series, double t, const std::vector<const double *> &values) const
{
  FieldOutput<dim> data;
  unsigned int     degree = 1;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    {
      for (const auto &show : outputs[i].shows)
        show(data, outputs[i].field->finest(), values[i]);
      degree = std::max(degree, outputs[i].field->element().degree);
    }
  data.build_patches(mapping, degree);
  series.write(data, t);
}

template <int dim>
void TimeDependentProblem<dim>::report_l2_error(const Field<dim> &field, const Vector<double> &u,
                                                const dealii::Function<dim> &exact)
{
  const auto   values = download(u);
  const double error =
    l2_error(field.finest(), mapping, dealii::QGauss<dim>(field.element().degree + 2), values.data(), exact);
  std::cout << "L2 error at t = " << time << ": " << error << std::endl;
  record["errors"]["l2"] = error;
}

template class TimeDependentProblem<2>;
template class TimeDependentProblem<3>;
} // namespace adamant

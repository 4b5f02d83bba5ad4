// Measures new values of a matrix: assembly on all levels, everything that the solver makes of it, and a solve.
//
//   benchmark_assembly transport2|transport3|face LEVEL host|cuda [THREADS]
//
// Prints a JSON line: medians in seconds; bytes are the least that assembly and formats have to move.

#include "assembly_kernels.h"

#include "fem/forms/assembly_tables.h"
#include "fem/spaces/field.h"
#include "frame/adaptivity.h"
#include "fem/forms/form.h"
#include "fem/meshes/mesh.h"
#include "elasticity/elasticity_parameters.h"
#include "multigrid/linear_solver.h"
#include "operators/level_data.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace adamant;

namespace
{
using Clock = std::chrono::steady_clock;

struct Setting
{
  std::string kind, place;
  int         level, n_threads;
};

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Different in each point or cell, and in time.
Vector<double> coefficients(const Device &device, int n, double time)
{
  Array<double> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = 1. + 0.1 * std::sin(0.37 * i + time);
  return {device, values};
}

// Assembles and solves several times, with kernel_of(level, coefficients).
template <int dim, class KernelOf>
void measure(const Setting &setting, const Device &device, const Field<dim> &field, bool at_points,
             const LinearSolverOptions &options, const KernelOf &kernel_of)
{
  const dealii::MappingQ1<dim> mapping;
  const dealii::QGauss<dim>    quadrature(2);
  const auto                   flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
  Form<dim>                    A("A", field, unknowns(field), mapping, quadrature, flags, nullptr, Levels::all);
  std::vector<Vector<double>>  c;
  const auto                   set_coefficients = [&](double time) {
    c.clear();
    for (std::size_t l = 0; l < field.n_levels(); ++l)
      c.push_back(coefficients(device, field.space(l).n_cells() * (at_points ? quadrature.size() : 1), time));
    device.synchronize();
  };
  const auto assemble = [&] {
    A.update(device, [&](std::size_t l) { return kernel_of(c[l].data()); });
    device.synchronize();
  };
  auto begin = Clock::now();
  set_coefficients(0.);
  for (std::size_t l = 1; l < field.n_levels(); ++l)
    field.prolongation(l);
  const double hierarchy = seconds_since(begin);
  begin                  = Clock::now();
  assemble();
  const double first = seconds_since(begin);
  begin              = Clock::now();
  LinearSolver solver(device, levels_of(field, A), options);
  device.synchronize();
  const double        set_up = seconds_since(begin);
  Vector<double>      b(device, Array<double>(field.finest().n_dofs(), 1.)), x(device, b.size());
  std::vector<double> assembly, update, solve;
  int                 iterations = 0;
  for (int repeat = 0; repeat < 12; ++repeat)
    {
      set_coefficients(repeat);
      begin = Clock::now();
      assemble();
      assembly.push_back(seconds_since(begin));
      begin = Clock::now();
      solver.update();
      device.synchronize();
      update.push_back(seconds_since(begin));
      x.set_zero();
      device.synchronize();
      begin      = Clock::now();
      iterations = solver.solve(b, x).iterations;
      device.synchronize();
      solve.push_back(seconds_since(begin));
    }
  std::size_t entries = 0, contributions = 0;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      const auto n = field.space(l).dofs_per_cell() / field.node_size();
      entries += A.matrix(l)->n_nonzeros();
      contributions += std::size_t(field.space(l).n_cells()) * n * n;
    }
  const int      m     = field.node_size();
  const double   bytes = 8. * contributions + 12. * entries / (m * m) + 8. * entries + 12. * entries; // and into float
  nlohmann::json record{{"case", setting.kind + " " + std::to_string(setting.level)},
                        {"device", device.name()},
                        {"threads", setting.n_threads},
                        {"unknowns", field.finest().n_dofs()},
                        {"entries", entries},
                        {"hierarchy", hierarchy},
                        {"first_assembly", first},
                        {"solver", set_up},
                        {"assembly", median(assembly)},
                        {"update", median(update)},
                        {"solve", median(solve)},
                        {"iterations", iterations},
                        {"bytes", bytes}};
  if (device.traits().separate_memory)
    {
      const double bandwidth   = device.interface().copy_bandwidth();
      record["copy_bandwidth"] = bandwidth;
      record["floor"]          = bytes / bandwidth;
    }
  std::cout << record.dump() << std::endl;
}

void measure(const Setting &setting, const Device &device)
{
  LinearSolverOptions options;
  if (setting.kind == "face")
    {
      dealii::Triangulation<3> mesh;
      dealii::GridGenerator::hyper_cube(mesh, 0., 1., true);
      refine_global(mesh, 3);
      refine_towards_origin(mesh, {1., 1., 1.}, 1, setting.level - 1);
      DirichletBoundary dirichlet;
      for (int side = 0; side < 6; ++side)
        dirichlet[side] = dealii::ComponentMask();
      const LevelMeshes<3> meshes(mesh, {64});
      const Field<3>       u(meshes, "u", dealii::FESystem<3>(dealii::FE_Q<3>(1), 3), dirichlet);
      options.type                         = SolverType::cg;
      options.multigrid.smoother.chebyshev = true;
      options.multigrid.smoother.range     = 20.;
      options.multigrid.smoother.type      = "block_jacobi";
      options.multigrid.pre_steps = options.multigrid.post_steps = 3;
      const double dt2                                           = 0.025 * 0.025;
      return measure(setting, device, u, false, options, [=](const double *c) {
        return ElasticStep{8e4 * dt2, 2e4 * dt2, c};
      });
    }
  const auto transport = [&](auto d) {
    constexpr int              dim = decltype(d)::value;
    dealii::Triangulation<dim> mesh;
    dealii::GridGenerator::hyper_cube(mesh);
    refine_global(mesh, setting.level);
    const LevelMeshes<dim> meshes(mesh, {256});
    const Field<dim>       u(meshes, "u", dealii::FE_Q<dim>(1), {{0, dealii::ComponentMask()}});
    options.multigrid.pre_steps        = 1;
    options.multigrid.smoother.damping = 0.9;
    measure(setting, device, u, true, options, [](const double *c) { return TransportStep{0.02, c}; });
  };
  if (setting.kind == "transport3")
    transport(std::integral_constant<int, 3>());
  else
    transport(std::integral_constant<int, 2>());
}
} // namespace

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  if (argc < 4)
    {
      std::cerr << "usage: benchmark_assembly transport2|transport3|face LEVEL host|cuda [THREADS]\n";
      return 2;
    }
  const Setting setting{argv[1], argv[3], std::atoi(argv[2]), argc > 4 ? std::atoi(argv[4]) : 2};
  measure(setting, setting.place == "cuda" ? Device::cuda() : Device::host(setting.n_threads));
}

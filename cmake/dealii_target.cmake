# adamant_dealii_target(TARGET): sets a target up for deal.II. With ADAMANT_PRECOMPILE all such targets share deal.II's
# headers, compiled once: a minute and 0.8 GB, for a third of each compilation's time.
option(ADAMANT_PRECOMPILE "Compile deal.II's headers once for all targets" OFF)
if(ADAMANT_PRECOMPILE)
  file(TOUCH ${PROJECT_BINARY_DIR}/precompiled.cc)
  add_library(adamant_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(adamant_precompiled adamant_flags nlohmann_json::nlohmann_json MPI::MPI_CXX)
  deal_ii_setup_target(adamant_precompiled)
  target_precompile_headers(adamant_precompiled PRIVATE
    <deal.II/base/function.h>
    <deal.II/base/mpi.h>
    <deal.II/base/parameter_acceptor.h>
    <deal.II/base/quadrature_lib.h>
    <deal.II/distributed/tria.h>
    <deal.II/dofs/dof_handler.h>
    <deal.II/dofs/dof_tools.h>
    <deal.II/fe/fe_q.h>
    <deal.II/fe/fe_system.h>
    <deal.II/fe/fe_values.h>
    <deal.II/fe/mapping_q1.h>
    <deal.II/grid/grid_generator.h>
    <deal.II/grid/grid_tools.h>
    <deal.II/lac/affine_constraints.h>
    <deal.II/lac/sparse_matrix.h>
    <deal.II/lac/vector.h>
    <nlohmann/json.hpp>)
endif()

function(adamant_dealii_target target)
  deal_ii_setup_target(${target})
  if(ADAMANT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM adamant_precompiled)
  endif()
endfunction()

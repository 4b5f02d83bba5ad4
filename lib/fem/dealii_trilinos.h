#pragma once

#include <deal.II/base/config.h>

// Defined where deal.II has matrices of Trilinos' Epetra. From deal.II 9.8 on it may have Trilinos without Epetra.
#if defined(DEAL_II_WITH_TRILINOS) && (!DEAL_II_VERSION_GTE(9, 8, 0) || defined(DEAL_II_TRILINOS_WITH_EPETRA))
#define ADAMANT_DEALII_HAS_EPETRA
#endif

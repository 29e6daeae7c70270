// SPDX-License-Identifier: MIT
#include "agent/worker/collectives/mpisum.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace ringside {

namespace {

/// Added in single precision and rounded once.
template <class Number> void add(void* in, void* inout, int* length, MPI_Datatype*)
{
    const auto* from = static_cast<const Number*>(in);
    auto* to = static_cast<Number*>(inout);
    for (int i = 0; i < *length; ++i)
        to[i] = static_cast<float>(to[i]) + static_cast<float>(from[i]);
}

} // namespace

MpiSums::MpiSums()
{
    MPI_Op_create(add<c10::Half>, 1, &m_half);
    MPI_Op_create(add<c10::BFloat16>, 1, &m_bfloat16);
}

} // namespace ringside

// SPDX-License-Identifier: MIT
// Holds the precompiled header that the doctest programs share.

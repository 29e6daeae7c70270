// SPDX-License-Identifier: MIT
// Holds the precompiled header that the folders of core/ and agent/ share.

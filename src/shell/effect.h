/* SPDX-License-Identifier: Apache-2.0 */
/* The effect classes lie in base/, since policy/ names them in settings. */
#pragma once

#include "base/effect.h" // IWYU pragma: export

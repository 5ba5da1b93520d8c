/* SPDX-License-Identifier: Apache-2.0 */
/* Included before everything else (meson.build, -include): functions that have
 * a safer sibling, or that check a path by name and so invite a race. access(2)
 * is banned too, by the source check: here it would also ban the word. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's fortified headers make macros of these for clang. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atoll gets
#pragma GCC poison system popen tmpnam tempnam mktemp

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int main(void)
{
	(void)fputs("berm " BERM_VERSION "\n", stdout);
	return 0;
}

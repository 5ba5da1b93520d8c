# SPDX-License-Identifier: Apache-2.0
# Blanks comments, and the insides of strings and character constants, of C
# source; every line keeps its number. For checks that look for calls.
{
	line = $0
	out = ""
	i = 1
	n = length(line)
	while (i <= n) {
		two = substr(line, i, 2)
		c = substr(line, i, 1)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i += 2
			} else {
				i++
			}
		} else if (two == "/*") {
			in_comment = 1
			out = out " "
			i += 2
		} else if (two == "//") {
			break
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= n && substr(line, i, 1) != c; i++)
				if (substr(line, i, 1) == "\\")
					i++
			out = out c
			i++
		} else {
			out = out c
			i++
		}
	}
	print out
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Works inside the sandbox until it is stopped: files come and go, one process has left
# the session, and a name has been asked for, so that the broker runs. Says so by the
# file "started".
(setsid sleep 300 &)
getent hosts berm.invalid
i=0
while :; do
	i=$(((i + 1) % 5))
	echo x >"w.$i"
	rm "w.$i"
	: >started
done

// SPDX-License-Identifier: Apache-2.0
// Go has a resolver of its own.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println("ERR", err)
		return
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Print(string(body))
}

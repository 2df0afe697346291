package main

// This file defines constants for the characters that occur in IDs, and functions for decimal
// numbers.

import (
	"errors"
	"math/big"
	"strings"

	"github.com/oneclock/ids"
)

// common contains the characters that occur in most forms of IDs.
const (
	common       = alphanumeric + "-_"
	alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func parseDecimal(s string) (u ids.UUID, err error) {
	n, _ := new(big.Int).SetString(s, 10) // s contains only digits
	if n.BitLen() > 128 {
		return u, errors.New("the number has more than 128 bits")
	}
	n.FillBytes(u[:])
	return u, nil
}

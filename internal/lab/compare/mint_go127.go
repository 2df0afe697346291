//go:build go1.27

package compare

import "uuid"

func init() {
	std = []Minter{
		{Kind: "V4", Library: "std", Mint: func() { uuid.NewV4() }},
		{Kind: "V7", Library: "std", Mint: func() { uuid.NewV7() }},
	}
}

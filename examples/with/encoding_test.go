package with

import (
	"testing"

	"github.com/BurntSushi/toml"
	goccy "github.com/goccy/go-yaml"
	"github.com/vmihailenco/msgpack/v5"
	"go.yaml.in/yaml/v3"
)

func TestMsgpack(t *testing.T) {
	codec(t, msgpack.Marshal, msgpack.Unmarshal)
	b, err := msgpack.Marshal(id)
	must(t, err)
	equal(t, string(b), "\xc4\x10"+string(id[:])) // binary, 16 bytes
}

func TestYAML(t *testing.T) {
	codec(t, yaml.Marshal, yaml.Unmarshal)
	codec(t, goccy.Marshal, goccy.Unmarshal)
	b, err := yaml.Marshal(number)
	must(t, err)
	equal(t, string(b), "\"1541815603606036480\"\n") // a string
}

func TestTOML(t *testing.T) {
	codec(t, toml.Marshal, toml.Unmarshal)
}

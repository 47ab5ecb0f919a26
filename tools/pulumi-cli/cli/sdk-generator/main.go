// Writes the SDK that `pulumi package add` generates, for machines whose language hosts are too
// old to generate one:
//
//	go run ./sdk-generator SCHEMA go|python DIRECTORY
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(schemaFile, language, directory string) error {
	pkg, err := packageOf(schemaFile)
	if err != nil {
		return err
	}
	files, err := generate(pkg, language)
	if err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func packageOf(schemaFile string) (*schema.Package, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if len(diagnostics) > 0 {
		return nil, diagnostics
	}
	// `pulumi package add` sets this for every package. It decides the path of the Go module.
	pkg.SupportPack = true
	return pkg, nil
}

func generate(pkg *schema.Package, language string) (map[string][]byte, error) {
	const tool = "pulumi-dbwebhooks"
	switch language {
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	default:
		return nil, fmt.Errorf("there is no generator for %s", language)
	}
}

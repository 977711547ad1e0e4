// Renders a chart as `helm template` does, with the libraries that Helm is made of, as far as Debian has them. It reads
// {"chart", "release", "namespace", "values"} and writes the text of each template by its path.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type asked struct {
	Chart     string                 `json:"chart"`
	Release   string                 `json:"release"`
	Namespace string                 `json:"namespace"`
	IsUpgrade bool                   `json:"is_upgrade"`
	Values    map[string]interface{} `json:"values"`
}

type files struct{ home string }

// Get is `.Files.Get`: a missing file is an empty text.
func (f files) Get(name string) string {
	content, err := os.ReadFile(filepath.Join(f.home, name))
	if err != nil {
		return ""
	}
	return string(content)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// merge lays values over the defaults of the chart: maps are joined, everything else is replaced, null removes.
func merge(under, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := under[key].(map[string]interface{})
		if value == nil {
			delete(under, key)
		} else if isMap && wasMap {
			under[key] = merge(known, inner)
		} else {
			under[key] = value
		}
	}
	return under
}

func functions(all *template.Template) template.FuncMap {
	added := sprig.TxtFuncMap()
	delete(added, "env")
	delete(added, "expandenv")
	added["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		check(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	added["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	added["required"] = func(warning string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || (isText && text == "") {
			return value, errors.New(warning)
		}
		return value, nil
	}
	// A cluster is not there, as for `helm template`.
	added["lookup"] = func(...string) map[string]interface{} { return map[string]interface{}{} }
	return added
}

func read(path string) map[string]interface{} {
	content, err := os.ReadFile(path)
	check(err)
	into := map[string]interface{}{}
	check(yaml.Unmarshal(content, &into))
	return into
}

func main() {
	var question asked
	check(json.NewDecoder(os.Stdin).Decode(&question))
	chart := read(filepath.Join(question.Chart, "Chart.yaml"))
	about := map[string]interface{}{}
	for key, value := range chart {
		about[strings.ToUpper(key[:1])+key[1:]] = value
	}
	data := map[string]interface{}{
		"Chart":  about,
		"Files":  files{question.Chart},
		"Values": merge(read(filepath.Join(question.Chart, "values.yaml")), question.Values),
		"Release": map[string]interface{}{
			"Name": question.Release, "Namespace": question.Namespace, "Service": "Helm",
			"IsInstall": !question.IsUpgrade, "IsUpgrade": question.IsUpgrade,
		},
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	var names []string
	home := filepath.Join(question.Chart, "templates")
	check(filepath.Walk(home, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(question.Chart, path)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.Name(), "_") {
			names = append(names, name)
		}
		_, err = all.New(name).Parse(string(content))
		return err
	}))
	rendered := map[string]string{}
	for _, name := range names {
		var out bytes.Buffer
		check(all.ExecuteTemplate(&out, name, data))
		rendered[name] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

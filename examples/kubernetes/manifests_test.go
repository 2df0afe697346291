// Package kubernetes checks the manifests in docs/kubernetes.md against the types of Kubernetes.
package kubernetes

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// decode reads a manifest strictly: a field that is unknown or occurs twice is an error.
func decode(manifest string) (kind string, err error) {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(manifest), &head); err != nil {
		return "", err
	}
	kind = head.APIVersion + " " + head.Kind
	into, ok := map[string]any{
		"apps/v1 StatefulSet": new(appsv1.StatefulSet), "apps/v1 Deployment": new(appsv1.Deployment), "batch/v1 Job": new(batchv1.Job),
		"v1 Service": new(corev1.Service), "v1 PersistentVolumeClaim": new(corev1.PersistentVolumeClaim),
		"policy/v1 PodDisruptionBudget": new(policyv1.PodDisruptionBudget),
	}[kind]
	if !ok {
		return "", fmt.Errorf("it is a %q", kind)
	}
	return head.Kind, yaml.UnmarshalStrict([]byte(manifest), into)
}

func TestManifests(t *testing.T) {
	page, err := os.ReadFile("../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(apiVersion.*?)^```$").FindAllSubmatch(page, -1) {
		for manifest := range strings.SplitSeq(string(block[1]), "---\n") {
			kind, err := decode(manifest)
			if err != nil {
				t.Errorf("%v in\n%s", err, manifest)
			}
			kinds = append(kinds, kind)
			if _, err := decode(manifest + "spek: {}\n"); err == nil {
				t.Errorf("a field that does not exist is accepted in a %s", kind)
			}
		}
	}
	// Four lines of a container set the variable, as in the StatefulSet.
	text := string(page)
	lines := regexp.MustCompile("(?ms)^```yaml\n(env:.*?)^```$").FindStringSubmatch(text)
	var short, long corev1.Container
	var set appsv1.StatefulSet
	_, manifest, _ := strings.Cut(text, "kind: Service\n")
	_, manifest, _ = strings.Cut(manifest, "---\n")
	manifest, _, _ = strings.Cut(manifest, "```")
	if lines == nil || yaml.UnmarshalStrict([]byte(lines[1]), &short) != nil || yaml.UnmarshalStrict([]byte(manifest), &set) != nil {
		t.Fatalf("the page has the lines %q, and the StatefulSet\n%s", lines, manifest)
	}
	long.Env = set.Spec.Template.Spec.Containers[0].Env
	if !reflect.DeepEqual(short, long) || len(short.Env) != 1 || short.Env[0].Name != "IDS_SNOWFLAKE_NODE" {
		t.Errorf("the lines mean %v, and the StatefulSet has %v", short.Env, long.Env)
	}
	for _, m := range regexp.MustCompile(`go install github.com/oneclock/ids/(\S+)@`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat("../../" + m[1] + "/main.go"); err != nil {
			t.Errorf("the page installs %s: %v", m[1], err)
		}
	}
	if want := strings.Fields("PersistentVolumeClaim Job Service StatefulSet Job Deployment PodDisruptionBudget"); !slices.Equal(kinds, want) {
		t.Errorf("the page has %q, want %q", kinds, want)
	}
}

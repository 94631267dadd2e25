// Creates a channel unless it exists, writes an alert as a draft, and sends it. Needs Go 1.21 and nothing else.
//
//	BELFRY_API_KEY=bfk_… go run examples/publish.go HANDLE TITLE
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

type object = map[string]any

type answer struct {
	ID    string
	Data  []struct{ ID string }
	Error struct{ Type, Message string }
}

var client = http.Client{Timeout: 30 * time.Second}

// call sends one request. A refusal ends the program with the message of the service, which names the solution.
func call(method, path string, body object) answer {
	api := os.Getenv("BELFRY_URL")
	if api == "" {
		api = "http://localhost:8787"
	}
	sent := &bytes.Buffer{}
	if body != nil {
		check(json.NewEncoder(sent).Encode(body))
	}
	request, err := http.NewRequest(method, api+"/api/v1"+path, sent)
	check(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("BELFRY_API_KEY"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if method == "POST" {
		// A request that is repeated with the same key creates nothing twice. Keep the key for a retry.
		key := make([]byte, 16)
		_, err = rand.Read(key)
		check(err)
		request.Header.Set("Idempotency-Key", hex.EncodeToString(key))
	}
	response, err := client.Do(request)
	check(err)
	defer response.Body.Close()
	var got answer
	check(json.NewDecoder(response.Body).Decode(&got))
	if response.StatusCode >= 400 {
		fail(fmt.Sprintf("%d %s: %s", response.StatusCode, got.Error.Type, got.Error.Message))
	}
	return got
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 3 || os.Getenv("BELFRY_API_KEY") == "" {
		fail("usage: BELFRY_API_KEY=bfk_… go run examples/publish.go HANDLE TITLE")
	}
	handle, title := os.Args[1], os.Args[2]

	var channel string
	if found := call("GET", "/pushers?handle="+url.QueryEscape(handle), nil).Data; len(found) > 0 {
		channel = found[0].ID
	} else {
		channel = call("POST", "/pushers", object{
			"handle":          handle,
			"name":            handle,
			"category":        "community",
			"description":     "Opened by an example",
			"requested_perms": []string{"notify", "sound"},
		}).ID
		fmt.Println("opened", channel)
	}

	alert := call("POST", "/pushers/"+channel+"/alerts", object{"title": title, "requires_ack": true}).ID
	fmt.Println("drafted", alert)

	call("PATCH", "/pushers/"+channel+"/alerts/"+alert, object{"action": "send"})
	fmt.Println("sent", alert)
}

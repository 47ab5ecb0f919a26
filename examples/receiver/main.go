package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	maxBodyBytes = 1 << 20
	minKeyBytes  = 16
)

type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

type receiver struct {
	secretsFile string
	reading     sync.Mutex
	secrets     []string
	handling    sync.Mutex
	handledIDs  map[string]bool
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("Usage: receiver FILE, where FILE holds the signing secrets.")
	}
	secrets, err := readSecrets(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	handler := &receiver{secretsFile: os.Args[1], secrets: secrets, handledIDs: map[string]bool{}}
	server := http.Server{Addr: "127.0.0.1:9000", Handler: handler, ReadTimeout: 10 * time.Second}
	log.Fatalf("The receiver cannot listen: %v", server.ListenAndServe())
}

func handle(received event) error {
	_, err := fmt.Println(received.Type, received.ID)
	return err
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	response.WriteHeader(r.receive(response, request))
}

func (r *receiver) receive(response http.ResponseWriter, request *http.Request) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	// Reads at most 1 MiB, because anybody can send a body.
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil {
		return statusOf(err)
	}
	if !isSignedWithAny(r.reloadSecrets(), rawBody, request.Header) {
		return http.StatusUnauthorized
	}
	var received event
	if err := json.Unmarshal(rawBody, &received); err != nil || received.ID == "" || received.Type == "" {
		return http.StatusBadRequest
	}
	r.handling.Lock()
	defer r.handling.Unlock()
	if !r.handledIDs[received.ID] {
		if err := handle(received); err != nil {
			log.Print(err)
			return http.StatusInternalServerError
		}
		r.handledIDs[received.ID] = true
	}
	return http.StatusNoContent
}

// reloadSecrets reads the file for each notification, so that a rotation needs no restart. An invalid file
// changes nothing.
func (r *receiver) reloadSecrets() []string {
	r.reading.Lock()
	defer r.reading.Unlock()
	secrets, err := readSecrets(r.secretsFile)
	if err != nil {
		log.Printf("%v. The last valid secrets stay in use.", err)
	} else {
		r.secrets = secrets
	}
	return r.secrets
}

// readSecrets reads secrets that are separated by white space. An error never contains what the file holds.
func readSecrets(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var secrets []string
	for index, line := range strings.Split(string(text), "\n") {
		for _, entry := range strings.Fields(line) {
			if !isSecret(entry) {
				return nil, fmt.Errorf("%s, line %d: this is not a signing secret (whsec_ and base64 of at least %d bytes)", file, index+1, minKeyBytes)
			}
			secrets = append(secrets, entry)
		}
	}
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%s contains no signing secret", file)
	}
	return secrets, nil
}

// isSecret refuses a short key too, such as that of whsec_null, which anybody can guess.
func isSecret(entry string) bool {
	encoded, hasPrefix := strings.CutPrefix(entry, "whsec_")
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	return hasPrefix && err == nil && len(key) >= minKeyBytes
}

// isSignedWithAny tells whether one of the secrets has signed the raw body. The local service signs
// according to Standard Webhooks. If your service signs in another way, change this function.
func isSignedWithAny(secrets []string, rawBody []byte, headers http.Header) bool {
	for _, secret := range secrets {
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err == nil && webhook.Verify(rawBody, headers) == nil {
			return true
		}
	}
	return false
}

// statusOf returns the status of the response when the body could not be read.
func statusOf(err error) int {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	default:
		return http.StatusBadRequest
	}
}

// Searches an instance with a token that golang.org/x/oauth2 gets. The test plays the browser.
//
// Arguments: address of the instance, client ID, client secret (empty for a public
// application), redirect address. Prints the address that the user opens, reads the
// address to which the browser came back, and prints what it received as JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

type outcome struct {
	Scope           any      `json:"scope"`
	Found           []string `json:"found"`
	IsRefreshed     bool     `json:"isRefreshed"`
	FoundAgain      []string `json:"foundAgain"`
	AfterRevocation int      `json:"afterRevocation"`
}

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, instance, id, secret, redirect string) error {
	config := &oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  redirect,
		Scopes:       []string{"read:documents"},
		Endpoint:     oauth2.Endpoint{AuthURL: instance + "/api/oauth/authorize", TokenURL: instance + "/api/oauth/token"},
	}
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	back, err := readAddress()
	if err != nil {
		return err
	}
	if back.Get("state") != state {
		return errors.New("the state is not the one that was sent")
	}
	first, err := config.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return err
	}
	_, found, err := search(config.Client(ctx, first), instance)
	if err != nil {
		return err
	}
	// The library refreshes a token that has expired.
	expired := *first
	expired.Expiry = time.Now().Add(-time.Hour)
	source := config.TokenSource(ctx, &expired)
	client := oauth2.NewClient(ctx, source)
	_, foundAgain, err := search(client, instance)
	if err != nil {
		return err
	}
	second, err := source.Token()
	if err != nil {
		return err
	}
	if err := revoke(instance, id, secret, second.RefreshToken); err != nil {
		return err
	}
	status, _, err := search(client, instance)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(outcome{
		Scope:           first.Extra("scope"),
		Found:           found,
		IsRefreshed:     first.AccessToken != second.AccessToken,
		FoundAgain:      foundAgain,
		AfterRevocation: status,
	})
}

func readAddress() (url.Values, error) {
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	return address.Query(), nil
}

func search(client *http.Client, instance string) (int, []string, error) {
	response, err := client.Post(instance+"/api/v1/search", "application/json", strings.NewReader(`{"query":"capybara"}`))
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	var body struct {
		Results []struct{ Text string }
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return 0, nil, err
	}
	texts := []string{}
	for _, result := range body.Results {
		texts = append(texts, result.Text)
	}
	return response.StatusCode, texts, nil
}

// The library has no revocation.
func revoke(instance, id, secret, token string) error {
	form := url.Values{"token": {token}, "client_id": {id}, "client_secret": {secret}}
	response, err := http.PostForm(instance+"/api/oauth/revoke", form)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("revocation answered %s", response.Status)
	}
	return nil
}

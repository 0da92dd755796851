package cli

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestServedToThisMachineByDefault(t *testing.T) {
	t.Parallel()
	for serve, want := range map[string]string{
		":8080": "localhost:8080", "8080": "localhost:8080", "0.0.0.0:80": "0.0.0.0:80", "[::]:80": "[::]:80",
		"localhost:0": "localhost:0", "example.org:80": "example.org:80", "nonsense": "nonsense",
	} {
		if got := address(serve); got != want {
			t.Errorf("%s becomes %s, want %s", serve, got, want)
		}
	}
}

func TestServedUnderOwnNamesOnly(t *testing.T) {
	twoFolders(t)
	s := serve(t, "results")
	s.host = "lab.example.org"
	for host, want := range map[string]int{
		"": 200, "localhost": 200, "LOCALHOST.:99": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "[::1]": 200, "lab.example.org:80": 200,
		"evil.example.org": 421, "evil.example.org:8080": 421, "localhost.evil.org": 421, "127.0.0.1.evil.org": 421,
	} {
		for _, path := range []string{"/", "/state", "/none"} {
			r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			switch {
			case path == "/none" && want == 200:
				if answer.StatusCode != 404 {
					t.Errorf("%s%s: %s", host, path, answer.Status)
				}
			case answer.StatusCode != want, want == 421 && strings.Contains(string(body), "small"):
				t.Errorf("%s%s: %s, want %d", host, path, answer.Status, want)
			}
		}
	}
}

// A client that does not say what it wants, or does not take what it asked for, is let go.
func TestServerLetsClientsGo(t *testing.T) {
	twoFolders(t)
	s := serve(t, "results")
	server := s.server()
	if server.ReadTimeout <= 0 || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 {
		t.Fatal("there are no limits of time")
	}
	server.ReadTimeout, server.IdleTimeout = 200*time.Millisecond, 200*time.Millisecond
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	defer server.Close()
	for _, request := range []string{"", "GET / HTTP/1.1\r\nHost: loc", "GET /state HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, request)
		_ = c.SetReadDeadline(time.Now().Add(1500 * time.Millisecond))
		if _, err := io.Copy(io.Discard, bufio.NewReader(c)); err != nil {
			t.Errorf("after %q the connection stays: %v", request, err)
		}
	}
}
